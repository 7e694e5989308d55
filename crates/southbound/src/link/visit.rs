//! A look at a device that this node keeps up no connection to: it is another node's to see to. A connection
//! is made for it, and goes with it.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use super::follows::{AHEAD, Stream};
use crate::{Driver, Follow, Line, Look, LookError, Report};

/// Those who visit devices: not too many at once.
#[derive(Clone, Debug)]
pub struct Visits(Arc<Semaphore>);

impl Visits {
    /// No more than so many at once; others wait.
    #[must_use]
    pub fn new(at_once: usize) -> Self {
        Self(Arc::new(Semaphore::new(at_once)))
    }

    /// Looks at a device's state.
    ///
    /// # Errors
    /// There is no connection to be had, or the device does not tell.
    pub async fn look(&self, driver: &dyn Driver, look: Look) -> Result<Vec<Report>, LookError> {
        let (line, _room) = self.connect(driver).await?;
        line.look(look).await.map_err(LookError::Failed)
    }

    /// Has a device tell of its state, for as long as somebody listens.
    ///
    /// # Errors
    /// There is no connection to be had.
    pub async fn follow(&self, driver: &dyn Driver, follow: Follow) -> Result<Stream, LookError> {
        let (line, room) = self.connect(driver).await?;
        let (tell, told) = mpsc::channel(AHEAD);
        let (end, ended) = oneshot::channel();
        tokio::spawn(async move {
            tokio::select! {
                why = line.follow(follow, tell.clone()) => {
                    // Whoever listened may have gone away.
                    let _gone = end.send(why);
                }
                () = tell.closed() => {}
            }
            drop(room);
        });
        Ok(Stream { told, ended })
    }

    async fn connect(
        &self,
        driver: &dyn Driver,
    ) -> Result<(Arc<dyn Line>, OwnedSemaphorePermit), LookError> {
        let gone = |why: String| LookError::NotConnected(why);
        let room = Arc::clone(&self.0).acquire_owned().await;
        let room = room.map_err(|error| gone(error.to_string()))?;
        let line = driver.connect().await.map_err(|error| gone(error.to_string()))?;
        Ok((line, room))
    }
}
