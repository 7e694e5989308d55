//! A client of the control service.

use lockstep_gnmi::proto::lockstep::sim::v1::control_client::ControlClient;
use lockstep_gnmi::proto::lockstep::sim::v1::{
    AddFaultsRequest, DriftRequest, GetFaultsRequest, GetJournalRequest, ReleaseRequest,
    RestartRequest, SetFaultsRequest,
};
use lockstep_types::Path;
use serde_json::Value as Json;
use tonic::transport::{Channel, ClientTlsConfig, Endpoint};
use tonic::{Code, Status};

use super::wire;
use crate::faults::Plan;
use crate::journal::Entry;

/// Why a device could not be told.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is not there.
    #[error("no simulated device at {address}")]
    Connect {
        /// Where it should be.
        address: String,
        /// Why not.
        source: tonic::transport::Error,
    },
    /// It answered with an error.
    #[error("the device at {address} answered {code:?}: {message}")]
    Answer {
        /// Where.
        address: String,
        /// The code.
        code: Code,
        /// The words.
        message: String,
    },
    /// It answered what no simulator of this version does.
    #[error("the device at {address} has a {field} that cannot be read")]
    Unreadable {
        /// Where.
        address: String,
        /// What, of a fault or of an entry of the journal.
        field: &'static str,
    },
}

/// A connection to one device.
#[derive(Clone, Debug)]
pub struct Client {
    address: String,
    client: ControlClient<Channel>,
}

impl Client {
    /// Connects to a device, given as `host:port`.
    pub async fn connect(address: impl Into<String>) -> Result<Self, Error> {
        Self::connect_as(address.into(), "http", None).await
    }

    /// The same to a device that speaks TLS.
    pub async fn connect_tls(
        address: impl Into<String>,
        tls: ClientTlsConfig,
    ) -> Result<Self, Error> {
        Self::connect_as(address.into(), "https", Some(tls)).await
    }

    async fn connect_as(
        address: String,
        scheme: &str,
        tls: Option<ClientTlsConfig>,
    ) -> Result<Self, Error> {
        let wrong = |source| Error::Connect { address: address.clone(), source };
        let mut endpoint = Endpoint::from_shared(format!("{scheme}://{address}")).map_err(wrong)?;
        if let Some(tls) = tls {
            endpoint = endpoint.tls_config(tls).map_err(wrong)?;
        }
        let channel = endpoint.connect().await.map_err(wrong)?;
        // Journals may be long.
        let client = ControlClient::new(channel).max_decoding_message_size(usize::MAX);
        Ok(Self { address, client })
    }

    /// From now on the device has exactly these faults.
    pub async fn set_faults(&mut self, faults: impl Into<Plan>) -> Result<(), Error> {
        let faults = Some(wire::faults::write(&faults.into()));
        let answer = self.client.set_faults(SetFaultsRequest { faults }).await;
        answer.map(|_| ()).map_err(|status| self.failed(&status))
    }

    /// From now on the device has these faults too.
    pub async fn add_faults(&mut self, faults: impl Into<Plan>) -> Result<(), Error> {
        let faults = Some(wire::faults::write(&faults.into()));
        let answer = self.client.add_faults(AddFaultsRequest { faults }).await;
        answer.map(|_| ()).map_err(|status| self.failed(&status))
    }

    /// The faults that the device has.
    pub async fn faults(&mut self) -> Result<Plan, Error> {
        let answer = self.client.get_faults(GetFaultsRequest {}).await;
        let answer = answer.map_err(|status| self.failed(&status))?.into_inner();
        let faults = wire::faults::read(&answer.faults.unwrap_or_default());
        faults.map_err(|_| Error::Unreadable { address: self.address.clone(), field: "fault" })
    }

    /// Has the device work on what hangs.
    pub async fn release(&mut self) -> Result<(), Error> {
        let answer = self.client.release(ReleaseRequest {}).await;
        answer.map(|_| ()).map_err(|status| self.failed(&status))
    }

    /// Changes a leaf of the device behind the back of all clients; no value: deletes it.
    pub async fn drift(&mut self, path: &Path, value: Option<&Json>) -> Result<(), Error> {
        let value = value.map(ToString::to_string).unwrap_or_default();
        let answer = self.client.drift(DriftRequest { path: path.to_string(), value }).await;
        answer.map(|_| ()).map_err(|status| self.failed(&status))
    }

    /// Restarts the device, with or without its configuration, and waits until it listens again.
    pub async fn restart(&mut self, keep: bool) -> Result<(), Error> {
        let answer = self.client.restart(RestartRequest { keep }).await;
        answer.map(|_| ()).map_err(|status| self.failed(&status))
    }

    /// The entries of the device's journal that have a larger number.
    pub async fn journal(&mut self, after: u64) -> Result<Vec<Entry>, Error> {
        let answer = self.client.get_journal(GetJournalRequest { after, changes: false }).await;
        let entries = answer.map_err(|status| self.failed(&status))?.into_inner().entries;
        let entries = entries.into_iter().map(wire::read_entry).collect::<Result<_, _>>();
        entries.map_err(|field| Error::Unreadable { address: self.address.clone(), field })
    }

    fn failed(&self, status: &Status) -> Error {
        let message = status.message().to_owned();
        Error::Answer { address: self.address.clone(), code: status.code(), message }
    }
}
