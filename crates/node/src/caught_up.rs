//! The store as a node begins on it: read once, and followed from there.

use lockstep_protocol::View;
use lockstep_store::{Error, Records, Watch};

/// How often the store is read as a whole while others let go of what came after.
const TRIES: usize = 5;

/// Brings a view that was read earlier up to what stands by now, by what was written since, and gives the watch that goes
/// on from there. The store is read as a whole again only where that is not kept any more.
pub(crate) async fn caught_up(records: &Records, mut read: View) -> Result<(View, Watch), Error> {
    for _ in 0..TRIES {
        match follow(records, read).await {
            Err(Error::Compacted { .. }) => read = records.load().await?,
            followed => return followed,
        }
    }
    follow(records, read).await
}

async fn follow(records: &Records, mut view: View) -> Result<(View, Watch), Error> {
    let mut watch = records.watch(view.revision()).await?;
    let now = records.revision().await?;
    while view.revision() < now {
        view.absorb(&watch.next().await.ok_or(Error::Closed)??);
    }
    // As a node that reads all of it now would know it.
    Ok((view.as_read(), watch))
}
