//! Two nodes with one name. To the others they are one that started again, so only the later one gets a share of
//! the targets: whoever runs them has to be told.

use std::sync::Arc;

use lockstep_protocol::View;
use lockstep_store::records::SESSION_TTL;
use lockstep_types::{NodeName, SessionId};
use tokio::sync::watch;
use tokio::time::sleep;

/// Says so for as long as the node runs, once for each other node of this name.
pub(crate) async fn look_out(
    name: NodeName,
    own: SessionId,
    mut views: watch::Receiver<Arc<View>>,
) {
    let other = |view: &View| view.sessions().find(|one| is_other(view, &name, &own, one)).cloned();
    loop {
        let seen = views.wait_for(|view| other(view).is_some()).await.map(|view| other(&view));
        let Ok(found) = seen else { return };
        let Some(session) = found else { continue };
        // One that has died, this node before it was started again maybe, is alive for as long as its session lasts.
        sleep(2 * SESSION_TTL).await;
        if views.borrow().is_alive(&session) {
            tracing::error!(
                %name,
                %session,
                "another node that runs has the same name: only one of them gets a share of the targets; \
                 give each a name of its own (`node`), and start it again"
            );
        }
        let gone = views.wait_for(|view| !view.is_alive(&session)).await;
        if gone.is_err() {
            return;
        }
    }
}

fn is_other(view: &View, name: &NodeName, own: &SessionId, session: &SessionId) -> bool {
    session != own && view.node(session) == Some(name)
}
