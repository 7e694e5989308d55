//! Whoever watches a device, connection after connection, and never in the way of the node's own
//! requests.

use lockstep_types::Connection;
use tokio::sync::{mpsc, watch};

use crate::{Line, Notice, Watch};

/// So many notices wait for who is slow; beyond, all of it is told at once.
const NOTICES: usize = 16;

/// What is told of a device, and on which of its connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noticed {
    /// The connection it was told on.
    pub connection: Connection,
    /// What.
    pub notice: Notice,
}

/// Someone who watches.
#[derive(Clone, Debug)]
pub(super) struct Watching {
    pub(super) watch: Watch,
    pub(super) tell: mpsc::Sender<Noticed>,
}

/// Serves whoever watches, for as long as the connection is up.
pub(super) async fn serve(
    line: &dyn Line,
    connection: Connection,
    watching: &mut watch::Receiver<Option<Watching>>,
) {
    loop {
        let who = watching.borrow_and_update().clone();
        tokio::select! {
            biased;
            another = watching.changed() => if another.is_err() {
                return;
            },
            () = tell(line, connection, who) => {}
        }
    }
}

/// Tells this one for as long as it listens, and then nobody.
async fn tell(line: &dyn Line, connection: Connection, who: Option<Watching>) {
    if let Some(Watching { watch, tell }) = who.filter(|who| !who.tell.is_closed()) {
        // They wait here, still without the number of the connection.
        let (sender, mut notices) = mpsc::channel(NOTICES);
        let pass = async {
            while let Some(notice) = notices.recv().await {
                if tell.send(Noticed { connection, notice }).await.is_err() {
                    return;
                }
            }
        };
        tokio::select! {
            biased;
            () = line.watch(watch, sender) => {}
            () = pass => {}
            () = tell.closed() => {}
        }
    }
    std::future::pending().await
}
