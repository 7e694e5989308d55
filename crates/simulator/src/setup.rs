//! What devices are given besides their models.

use std::path::PathBuf;

use tonic::transport::Server;
use tonic::transport::{Certificate, Identity, ServerTlsConfig};

use crate::Error;

/// What all devices of a simulator have in common. The default is plaintext, and nothing that survives
/// the process.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// They speak TLS.
    pub tls: Option<Tls>,
    /// A folder that keeps what they hold, so that it is there when the process is started again.
    pub state: Option<PathBuf>,
}

/// Certificates, all as PEM.
#[derive(Clone, Debug)]
pub struct Tls {
    /// The certificate of every device.
    pub cert: Vec<u8>,
    /// Its key.
    pub key: Vec<u8>,
    /// Who signs the certificates of clients. None: clients need no certificate.
    pub client_ca: Option<Vec<u8>>,
}

impl Setup {
    /// The server of a device.
    pub(crate) fn server(&self) -> Result<Server, Error> {
        let server = Server::builder();
        let Some(tls) = &self.tls else { return Ok(server) };
        let mut config = ServerTlsConfig::new().identity(Identity::from_pem(&tls.cert, &tls.key));
        if let Some(ca) = &tls.client_ca {
            config = config.client_ca_root(Certificate::from_pem(ca));
        }
        server.tls_config(config).map_err(|source| Error::Tls { source })
    }
}
