//! Telling of a device's state, for as long as somebody listens.

use lockstep_protocol::record::Failure;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tonic::Request;

use super::GnmiLine;
use crate::gnmi::subscription::Subscription;
use crate::gnmi::{answer, follow};
use crate::{Follow, Followed};

impl GnmiLine {
    /// Tells until the device ends it, and says why it did. Whoever is slow to listen holds up the
    /// device's stream, and nothing else.
    pub(super) async fn following(
        &self,
        wanted: &Follow,
        tell: &mpsc::Sender<Followed>,
    ) -> Failure {
        match self.told(wanted, tell).await {
            Err(failure) => failure,
            Ok(()) => Failure {
                code: "UNAVAILABLE".to_owned(),
                message: "the device ended the subscription".to_owned(),
            },
        }
    }

    async fn told(&self, wanted: &Follow, tell: &mpsc::Sender<Followed>) -> Result<(), Failure> {
        let first = follow::request(wanted, self.models.origin());
        let begun = Subscription::begin(self.client.clone(), Request::new(first));
        let begun = timeout(self.timeout, begun).await.map_err(|_| Failure {
            code: "DEADLINE_EXCEEDED".to_owned(),
            message: format!("the device did not answer within {:?}", self.timeout),
        })?;
        let mut told = begun.map_err(|status| answer::failure(&status))?;
        while let Some(message) = told.next().await.map_err(|status| answer::failure(&status))? {
            if let Some(news) = follow::read(message)?
                && tell.send(news).await.is_err()
            {
                break;
            }
        }
        Ok(())
    }
}
