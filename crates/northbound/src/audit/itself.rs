//! What nodes do by themselves is written down as well: each entry of the log that nobody asked for, by the node that
//! made it.

use lockstep_node::Handle;
use lockstep_protocol::View;
use lockstep_protocol::record::{ITSELF, Kind, Transaction};
use lockstep_types::{Index, SessionId};
use tokio_util::sync::CancellationToken;
use tonic::Code;

use super::{Audit, Line, Noted};
use crate::identity::{How, Identity};

/// Writes down what this node does by itself, from its start until it is stopped.
pub(crate) async fn follow(node: Handle, audit: Audit, stop: CancellationToken) {
    let (mut views, mut last) = (node.views(), Index::ZERO);
    loop {
        let view = node.view();
        for entry in own(&view, node.session(), last) {
            write(&audit, entry).await;
        }
        last = view.head().index;
        drop(view);
        if stop.is_cancelled() {
            return;
        }
        let grown = async {
            // What moved on, and did not come in, is no news.
            views.wait_for(|view| view.head().index > last).await.is_ok()
        };
        tokio::select! {
            grown = grown => if !grown { return },
            // Once more, for what came in meanwhile.
            () = stop.cancelled() => {}
        }
    }
}

/// What came in since, if nobody but this node is behind it; in log order.
fn own<'v>(view: &'v View, node: &SessionId, since: Index) -> Vec<&'v Transaction> {
    let later = view.transactions_backwards().take_while(|entry| entry.index > since);
    let mut own: Vec<_> =
        later.filter(|entry| entry.author == ITSELF && entry.origin == *node).collect();
    own.reverse();
    own
}

async fn write(audit: &Audit, entry: &Transaction) {
    let identity = Identity { name: ITSELF.into(), how: How::Node, ..Identity::nobody() };
    let (action, detail) = said(entry.kind);
    let noted = Noted {
        targets: entry.targets.keys().map(|target| (target.clone(), [].into())).collect(),
        transaction: Some((entry.id.to_string(), entry.index.get())),
        detail: Some(detail),
        ..Noted::default()
    };
    audit.write(Line { identity: &identity, address: None, action, noted, code: Code::Ok }).await;
}

/// What it is called, and why it is done.
fn said(kind: Kind) -> (&'static str, String) {
    match kind {
        Kind::Rollback { of, .. } => {
            ("Revert", format!("transaction {of} was not confirmed in time"))
        }
        Kind::Adopt { first: true } => {
            ("Adopt", "what the device had when it was first met".into())
        }
        Kind::Adopt { first: false } => {
            ("Adopt", "what somebody else changed on the device: its drift is adopt".into())
        }
        Kind::Change | Kind::Restore { .. } | Kind::Add | Kind::Rebind | Kind::Remove => {
            ("Transaction", "by itself".into())
        }
    }
}
