//! Which store is meant, and how it is opened.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use lockstep_store::etcd::{Options, Tls, User};
use lockstep_store::{Embedded, Error, Etcd, Store};

use crate::cli::Failed;

/// A store by name.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// The folder of an embedded store, or etcd://host:2379,host:2379/prefix
    #[arg(value_name = "FOLDER|URL")]
    store: String,
    #[command(flatten)]
    access: Access,
}

/// What etcd asks of those who use it.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Access {
    /// Speak TLS with etcd; who signed its certificates (PEM)
    #[arg(long, value_name = "FILE")]
    store_ca: Option<PathBuf>,
    /// Our certificate for etcd, with --store-key (PEM)
    #[arg(long, value_name = "FILE", requires = "store_key", requires = "store_ca")]
    store_cert: Option<PathBuf>,
    /// The key of that certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "store_cert")]
    store_key: Option<PathBuf>,
    /// The user in etcd; its password is taken from LOCKSTEP_STORE_PASSWORD
    #[arg(long, value_name = "NAME")]
    store_user: Option<String>,
}

impl Place {
    pub(crate) fn new(store: &str, access: &Access) -> Self {
        Self { store: store.to_owned(), access: access.clone() }
    }

    /// The folder of an embedded store; none: it is etcd.
    pub(crate) fn folder(&self) -> Option<&Path> {
        (!self.store.contains("://")).then(|| Path::new(&self.store))
    }

    /// Opens a store that is there.
    pub(crate) async fn open(&self) -> Result<Arc<dyn Store>, Failed> {
        match self.folder() {
            Some(folder) => Ok(Arc::new(Embedded::open_existing(folder).map_err(busy)?)),
            None => self.etcd().await,
        }
    }

    /// Opens a store that is made if it is not there.
    pub(crate) async fn open_or_make(&self) -> Result<Arc<dyn Store>, Failed> {
        match self.folder() {
            Some(folder) => Ok(Arc::new(Embedded::open(folder).map_err(busy)?)),
            None => self.etcd().await,
        }
    }

    async fn etcd(&self) -> Result<Arc<dyn Store>, Failed> {
        let mut options = Options::parse(&self.store)?;
        let Access { store_ca, store_cert, store_key, store_user } = &self.access;
        let ca = store_ca.as_deref().map(read).transpose()?;
        let identity = match (store_cert, store_key) {
            (Some(cert), Some(key)) => Some((read(cert)?, read(key)?)),
            _ => None,
        };
        options.tls = ca.map(|ca| Tls { ca, identity, server_name: None });
        if let Some(name) = store_user.clone() {
            let password = std::env::var("LOCKSTEP_STORE_PASSWORD")
                .map_err(|_| "give the password of --store-user in LOCKSTEP_STORE_PASSWORD")?;
            options.user = Some(User { name, password });
        }
        Ok(Arc::new(Etcd::open(&options).await?))
    }
}

/// A folder in use is that of a running node, which can be asked itself.
fn busy(error: Error) -> Failed {
    match error {
        Error::Held { .. } => format!(
            "{error}; stop it, or export from it while it runs: `lockstep store export` without a \
             folder"
        )
        .into(),
        other => other.into(),
    }
}

fn read(file: &Path) -> Result<Vec<u8>, Failed> {
    std::fs::read(file).map_err(|e| format!("cannot read {}: {e}", file.display()).into())
}
