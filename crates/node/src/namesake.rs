//! Two nodes with one name. To the others they are one that started again, so only the later one gets a share of
//! the targets: whoever runs them has to be told.

use std::sync::Arc;
use std::time::Duration;

use lockstep_protocol::View;
use lockstep_store::records::SESSION_TTL;
use lockstep_types::{NodeName, SessionId};
use tokio::sync::watch;
use tokio::time::sleep;

/// How often it is looked for one: nobody is in a hurry, and revisions may be many.
const OFTEN: Duration = Duration::from_secs(1);

/// Says so for as long as the node runs, once for each other node of this name.
pub(crate) async fn look_out(name: NodeName, own: SessionId, views: watch::Receiver<Arc<View>>) {
    let other = |view: &View| view.sessions().find(|one| is_other(view, &name, &own, one)).cloned();
    loop {
        let Some(session) = seen(&views, other).await else { return };
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
        let gone = |view: &View| (!view.is_alive(&session)).then_some(());
        if seen(&views, gone).await.is_none() {
            return;
        }
    }
}

/// Looks until there is something to be seen; none: the node has ended.
async fn seen<T>(
    views: &watch::Receiver<Arc<View>>,
    look: impl Fn(&View) -> Option<T>,
) -> Option<T> {
    loop {
        let found = look(&views.borrow());
        if found.is_some() {
            return found;
        }
        sleep(OFTEN).await;
        views.has_changed().ok()?;
    }
}

fn is_other(view: &View, name: &NodeName, own: &SessionId, session: &SessionId) -> bool {
    session != own && view.node(session) == Some(name)
}
