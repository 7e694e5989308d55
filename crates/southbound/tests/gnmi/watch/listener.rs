//! Who listens to what is told of a device.

use std::time::Duration;

use lockstep_southbound::gnmi::Options;
use lockstep_southbound::{Notice, Noticed, Watch};
use lockstep_types::{Configuration, Content, Delta};
use tokio::sync::mpsc;

use crate::support::{World, options, path, within};

/// Who listens, and what the device holds by what was told.
pub(super) struct Listener {
    pub(super) told: mpsc::Receiver<Noticed>,
    pub(super) held: Configuration,
    pub(super) whole: usize,
}

impl Listener {
    /// Begins to listen, and hears all that stands.
    pub(super) async fn begin(world: &World, watch: Watch) -> Self {
        let told = world.link.watch(watch);
        let mut listener = Self { told, held: Configuration::new(), whole: 0 };
        listener.next().await;
        assert_eq!(listener.whole, 1, "what stands is told first");
        listener
    }

    /// What the next notice changes of what was held.
    pub(super) async fn next(&mut self) -> Delta {
        let noticed = within("a notice", self.told.recv()).await.expect("the end");
        let delta = match noticed.notice {
            Notice::Changed(edit) => edit.onto(&self.held),
            Notice::All(all) => {
                self.whole += 1;
                self.held.diff(&all)
            }
        };
        let before = self.held.clone();
        self.held.apply_values(&delta);
        before.diff(&self.held)
    }

    /// Listens until this is so.
    pub(super) async fn until(&mut self, wanted: impl Fn(&Configuration) -> bool) {
        within("what is wanted", async {
            while !wanted(&self.held) {
                self.next().await;
            }
        })
        .await;
    }
}

pub(super) fn is(at: &'static str, content: Content) -> impl Fn(&Configuration) -> bool {
    move |held| held.get(&path(at)) == Some(&content)
}

/// Reads often, for a test to see.
pub(super) fn often(address: std::net::SocketAddr) -> Options {
    Options { drift_interval: Duration::from_millis(50), ..options(address) }
}
