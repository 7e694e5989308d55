//! Transactions as they come in and move on.
//!
//! What happens in a short while is told as one: how a transaction stands at the end of it. So a transaction
//! that spreads over a thousand targets is not told of a thousand times.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use lockstep_gnmi::proto::lockstep::v1::{
    self, ListTransactionsRequest, WatchTransactionsRequest, WatchTransactionsResponse,
};
use lockstep_node::Step;
use lockstep_protocol::View;
use lockstep_protocol::record::{Key, Transaction};
use lockstep_types::Index;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::time::sleep;
use tonic::Status;

use super::{Service, log};
use crate::access::Right;
use crate::gnmi::{self, Outlet, Told};
use crate::guard::Call;
use crate::refusal;
use crate::teller::Teller;

/// So long is gathered what is told as one.
const GATHER: Duration = Duration::from_millis(50);
/// How often one that is watched by itself is looked at: what it waits for may change without a write.
const LOOK: Duration = Duration::from_secs(1);

/// One client that watches.
struct Watch {
    service: Service,
    call: Call,
    asked: WatchTransactionsRequest,
    filter: ListTransactionsRequest,
    outlet: Outlet<WatchTransactionsResponse>,
    /// What was told last of the only one that is watched.
    last: Option<v1::Transaction>,
}

impl Service {
    pub(super) async fn watched(
        &self,
        call: Call,
        asked: WatchTransactionsRequest,
    ) -> Result<Told<WatchTransactionsResponse>, Status> {
        call.somewhere(Right::Read)?;
        let filter = ListTransactionsRequest {
            target: asked.target.clone(),
            kind: asked.kind.clone(),
            author: asked.author.clone(),
            after_index: asked.after_index,
            limit: asked.latest,
            brief: asked.brief,
            ..ListTransactionsRequest::default()
        };
        log::check(&filter)?;
        if asked.index != 0 {
            // Another node may have been asked for it, a moment ago.
            self.fresh.view(&call).await?;
            self.found(&call, asked.index)?;
        }
        let (service, caller) = (self.clone(), call.clone());
        gnmi::watch(&self.gnmi, call, move |outlet| async move {
            Watch { service, call: caller, asked, filter, outlet, last: None }.run().await
        })
    }
}

impl Watch {
    async fn run(mut self) -> Result<(), Status> {
        // First, so that nothing is missed between the view and what follows it.
        let mut steps = self.service.node.follow();
        let mut view = self.service.fresh.view(&self.call).await?;
        match self.asked.index {
            0 => self.tell_first(&view).await?,
            index => {
                if self.tell_one(&view, Index::new(index)).await? {
                    return Ok(());
                }
            }
        }
        self.send(None).await?;
        loop {
            let moved = match self.next(&mut steps, &view).await? {
                None => continue,
                Some((now, moved)) => {
                    view = now;
                    moved
                }
            };
            if self.tell(&view, &moved).await? {
                return Ok(());
            }
        }
    }

    /// What moved on since a view, and the view it led to.
    async fn next(
        &self,
        steps: &mut Receiver<Arc<Step>>,
        before: &View,
    ) -> Result<Option<(Arc<View>, BTreeSet<Index>)>, Status> {
        let first = tokio::select! {
            first = steps.recv() => first,
            () = sleep(LOOK), if self.asked.index != 0 => {
                return Ok(Some((self.service.node.view(), [Index::new(self.asked.index)].into())));
            }
        };
        sleep(GATHER).await;
        let mut moved = BTreeSet::new();
        let mut last = None;
        let mut lagged = false;
        let mut take = |step: Arc<Step>| {
            moved.extend(step.transactions.iter().copied());
            last = Some(Arc::clone(&step.view));
        };
        match first {
            Ok(step) => take(step),
            Err(RecvError::Lagged(_)) => lagged = true,
            Err(RecvError::Closed) => return Err(refusal::stopping()),
        }
        loop {
            match steps.try_recv() {
                Ok(step) => take(step),
                Err(TryRecvError::Lagged(_)) => lagged = true,
                // The next call hears of an end.
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        let Some(view) = last else { return Ok(None) };
        if lagged {
            let differs = |entry: &&Transaction| {
                let key = Key::Transaction(entry.index);
                view.version(&key) != before.version(&key)
            };
            moved.extend(view.transactions().filter(differs).map(|entry| entry.index));
        }
        Ok((!moved.is_empty()).then_some((view, moved)))
    }

    /// Those that were asked for first, the earliest first.
    async fn tell_first(&mut self, view: &View) -> Result<(), Status> {
        if self.asked.latest == 0 && self.asked.after_index == 0 {
            return Ok(());
        }
        let shown = {
            let teller = Teller::any(&self.service.node, &self.call, view);
            log::listed(&teller, &self.filter, usize::MAX).transactions
        };
        for transaction in shown.into_iter().rev() {
            self.send(Some(transaction)).await?;
        }
        Ok(())
    }

    /// Whether the only one that is watched came to its end.
    async fn tell(&mut self, view: &View, moved: &BTreeSet<Index>) -> Result<bool, Status> {
        // What may be seen may have changed since the last time.
        self.call = self.call.again()?;
        let only = Index::new(self.asked.index);
        if only != Index::ZERO {
            return match moved.contains(&only) {
                true => self.tell_one(view, only).await,
                false => Ok(false),
            };
        }
        for index in moved {
            let shown = {
                let teller = Teller::any(&self.service.node, &self.call, view);
                let found = view.transaction(*index).filter(|entry| {
                    log::is_asked(&teller, &self.filter, entry) && teller.sees_any(entry)
                });
                found.map(|entry| log::shown(&teller, &self.filter, entry))
            };
            if let Some(shown) = shown {
                self.send(Some(shown)).await?;
            }
        }
        Ok(false)
    }

    async fn tell_one(&mut self, view: &View, index: Index) -> Result<bool, Status> {
        let (shown, ended) = {
            let Some(entry) = view.transaction(index) else { return Ok(true) };
            let teller = Teller::any(&self.service.node, &self.call, view);
            let ended = entry.status.is_final() && !entry.keeps_others_off();
            (log::shown(&teller, &self.filter, entry), ended)
        };
        if self.last.as_ref() != Some(&shown) {
            self.last = Some(shown.clone());
            self.send(Some(shown)).await?;
        }
        Ok(ended)
    }

    async fn send(&self, transaction: Option<v1::Transaction>) -> Result<(), Status> {
        self.outlet.send(WatchTransactionsResponse { transaction }).await
    }
}
