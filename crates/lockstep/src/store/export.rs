//! `lockstep store export`: from a folder, from etcd, or from a running node.

use std::fs::Permissions;
use std::io::IsTerminal;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use clap::Args;
use lockstep_gnmi::proto::lockstep::v1::ExportRequest;
use lockstep_store::Records;
use lockstep_store::records::dump::{self, Progress};
use tokio::fs::File;
use tokio::io::{AsyncWriteExt, Stdout, stdout};
use tokio::sync::mpsc;

use super::place::{Access, Place};
use super::progress::Teller;
use crate::cli::{Failed, Global};
use crate::client::{Certificates, Client, refused};
use crate::signals::Signals;

/// What to export, and to where.
#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The folder of a node that is not running, or etcd://host:2379,host:2379/prefix; without it, the
    /// running node is asked (--server)
    #[arg(value_name = "FOLDER|URL")]
    store: Option<String>,
    /// The file to write; standard output without it
    #[arg(long, short, value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    access: Access,
    #[command(flatten)]
    certificates: Certificates,
}

/// `store export`.
pub(crate) async fn export(command: &Export, global: &Global) -> Result<(), Failed> {
    let mut signals = Signals::new()?;
    let mut out = Target::open(command.file.as_deref(), global.yes).await?;
    let mut teller = Teller::new("exported");
    let result = tokio::select! {
        result = write(command, global, &mut out, &mut teller) => result,
        by = signals.next() => {
            eprintln!("lockstep: interrupted; nothing was exported");
            Err(by.into())
        }
    };
    match result {
        Ok(progress) => {
            out.finish().await?;
            teller.done(progress);
            Ok(())
        }
        Err(error) => {
            out.discard();
            Err(error)
        }
    }
}

async fn write(
    command: &Export,
    global: &Global,
    out: &mut Target,
    teller: &mut Teller,
) -> Result<Progress, Failed> {
    match &command.store {
        Some(store) => from_store(&Place::new(store, &command.access), out, teller).await,
        None => {
            let client = Client::connect(global, &command.certificates).await?;
            from_node(&client, out, teller).await
        }
    }
}

async fn from_store(
    place: &Place,
    out: &mut Target,
    teller: &mut Teller,
) -> Result<Progress, Failed> {
    let store = place.open().await?;
    let records = Records::open_existing(store).await?;
    let (blocks, mut received) = mpsc::channel(2);
    let exporting = tokio::spawn({
        let records = records.clone();
        async move { records.export(&blocks).await }
    });
    let mut bytes = 0;
    while let Some(block) = received.recv().await {
        out.write(&block).await?;
        bytes += block.len() as u64;
        teller.at(bytes);
    }
    let progress = exporting.await??;
    records.close().await?;
    Ok(progress)
}

/// The node's own word that it was all is the last line, so that is looked at.
async fn from_node(
    client: &Client,
    out: &mut Target,
    teller: &mut Teller,
) -> Result<Progress, Failed> {
    let mut admin = client.admin();
    let answer = admin.export(ExportRequest {}).await.map_err(|status| refused(&status))?;
    let mut stream = answer.into_inner();
    let (lines, arriving) = tokio::io::duplex(dump::BLOCK);
    let receive = async move {
        let mut lines = lines;
        let mut bytes = 0;
        while let Some(message) = stream.message().await.map_err(|status| refused(&status))? {
            out.write(&message.data).await?;
            // A reader that found something wrong has gone, and says what.
            if lines.write_all(&message.data).await.is_err() {
                break;
            }
            bytes += message.data.len() as u64;
            teller.at(bytes);
        }
        Ok::<(), Failed>(())
    };
    let mut progress = Progress::default();
    let verify = dump::verify(tokio::io::BufReader::new(arriving), |now| progress = now);
    let (received, verified) = tokio::join!(receive, verify);
    received?;
    verified?;
    Ok(progress)
}

/// Where lines are written, aside: a disk or a reader that is slow keeps nobody from interrupting it. A
/// file gets its name when it is whole.
#[derive(Debug)]
enum Target {
    Stdout(Stdout),
    File { name: PathBuf, part: PathBuf, to: File },
}

/// A file that nobody else reads, also where an earlier export left it: what is in it is in clear.
async fn create(path: &Path) -> std::io::Result<File> {
    let private = 0o600;
    let file =
        File::options().write(true).create(true).truncate(true).mode(private).open(path).await?;
    file.set_permissions(Permissions::from_mode(private)).await?;
    Ok(file)
}

impl Target {
    async fn open(file: Option<&Path>, replace: bool) -> Result<Self, Failed> {
        let Some(name) = file else {
            if std::io::stdout().is_terminal() {
                return Err("a dump is long; name a file with -f, or redirect the output".into());
            }
            return Ok(Self::Stdout(stdout()));
        };
        if name.exists() && !replace {
            return Err(format!("{} exists; --yes replaces it", name.display()).into());
        }
        let mut part = name.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        let to = create(&part)
            .await
            .map_err(|error| format!("cannot write {}: {error}", part.display()))?;
        Ok(Self::File { name: name.into(), part, to })
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<(), Failed> {
        match self {
            Self::Stdout(to) => to.write_all(bytes).await?,
            Self::File { to, .. } => to.write_all(bytes).await?,
        }
        Ok(())
    }

    async fn finish(self) -> Result<(), Failed> {
        match self {
            Self::Stdout(mut to) => to.flush().await?,
            Self::File { name, part, mut to } => {
                to.flush().await?;
                to.sync_all().await?;
                tokio::fs::rename(part, name).await?;
            }
        }
        Ok(())
    }

    fn discard(self) {
        if let Self::File { part, .. } = self
            && let Err(error) = std::fs::remove_file(&part)
        {
            eprintln!(
                "lockstep: {} is of no use and could not be removed: {error}",
                part.display()
            );
        }
    }
}
