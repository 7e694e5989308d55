//! When a request is worked on, and whether its client hears of it.

use lockstep_gnmi::proto::gnmi::{SetRequest, SetResponse};
use tokio::time::sleep;
use tonic::Status;
use tracing::warn;

use super::set::{self, Job};
use super::{Service, asked};
use crate::device::Hold;
use crate::faults::{Acting, Cut};
use crate::journal::{self, Effect, Entry, Kind};

impl Service {
    /// Waits as long as the device takes for a request that changes nothing; for ever if it does not
    /// answer at all.
    pub(super) async fn pace(&self, kind: Kind, acting: &Acting, hold: Option<&Hold>) {
        if let Some(delay) = acting.delay {
            sleep(delay).await;
        }
        if acting.hang.is_none() && acting.cut.is_none() {
            return;
        }
        let faults = acting.names.iter().map(ToString::to_string).collect();
        self.ignored(Entry { faults, ..Entry::new(kind) });
        if let Some(cut) = acting.cut {
            self.cut(cut, hold).await;
        }
        std::future::pending().await
    }

    /// Carries out a Set in the device's own time. None: the client is never to hear of it.
    pub(super) async fn carry_out(
        self,
        request: SetRequest,
        hold: Option<Hold>,
    ) -> Option<Result<SetResponse, Status>> {
        let arrived = journal::now();
        let job = self.work(move |device, _| {
            let (acting, paths) = asked::set(device, &request);
            Job { request, acting, paths, arrived, late: false }
        });
        let mut job = match job.await {
            Ok(job) => job,
            Err(status) => return Some(Err(status)),
        };
        if let Some(delay) = job.acting.delay {
            sleep(delay).await;
        }
        if job.acting.hang.is_some() {
            self.hang(&mut job).await;
        }
        let cut = job.acting.cut;
        if let Some(cut) = cut.filter(|cut| !cut.after) {
            self.ignored(job.entry());
            self.cut(cut, hold.as_ref()).await;
            return None;
        }
        let heard = !job.late && cut.is_none();
        let answer = self.do_now(job).await;
        if let Some(cut) = cut {
            self.cut(cut, hold.as_ref()).await;
        }
        heard.then_some(answer)
    }

    async fn do_now(&self, job: Job) -> Result<SetResponse, Status> {
        let turn = self.device.sets().lock_owned().await;
        let answer = self.work(move |device, boot| {
            let answer = set::answer(device, boot, &job);
            drop(turn);
            answer
        });
        answer.await?
    }

    /// Leaves a Set lying about until its time has come, or the device is told to let it go.
    async fn hang(&self, job: &mut Job) {
        let mut released = self.device.released();
        self.ignored(job.entry());
        job.late = true;
        let time = job.acting.hang.flatten();
        let late = async {
            match time {
                Some(time) => sleep(time).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = late => {}
            _ = released.changed() => {}
        }
    }

    /// Writes down that nothing came of a request, as yet.
    fn ignored(&self, entry: Entry) {
        // Capabilities touch nothing, so they are not in the journal.
        if entry.kind != Kind::Capabilities {
            self.device.state().write(Entry { effect: Effect::Nothing, ..entry });
        }
    }

    async fn cut(&self, cut: Cut, hold: Option<&Hold>) {
        match cut.restart {
            Some(keep) => {
                let device = self.device.clone();
                // On its own, for the connection that waits for this is about to be dropped.
                let restarted = tokio::spawn(async move { device.restart(keep).await }).await;
                if let Ok(Err(error)) = restarted {
                    warn!(%error, "a device did not come back");
                }
            }
            None => {
                if let Some(hold) = hold {
                    hold.hang_up();
                }
            }
        }
    }
}
