//! Another gNMI server that nobody here wrote: gnxi's gnmi_target, in Go, with OpenConfig's models.
//!
//! It has Capabilities, Get of everything at once, and Set; no Subscribe, no extension, and it takes no JSON for
//! a single leaf. Runs where `LOCKSTEP_GNMI_TARGET` says where its program is and `LOCKSTEP_OPENCONFIG` where
//! the models are; `make interop` builds it.

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use lockstep_protocol::{Answer, Ask};
use lockstep_southbound::gnmi::{Gnmi, Options};
use lockstep_southbound::{Driver, Fencing, Line, Notice, Watch};
use lockstep_types::{Configuration, Content};
use lockstep_yang::ModelSet;
use tokio::sync::mpsc;

use crate::support::{MANDATE, accepted, delta, leaf, options, path, within};

const HOLDS: &str = r#"{
  "openconfig-system:system": { "config": { "hostname": "leaf1", "login-banner": "hi" } }
}"#;

/// The server, until this is dropped.
struct Server {
    process: Child,
    folder: PathBuf,
    address: SocketAddr,
    models: ModelSet,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        std::fs::remove_dir_all(&self.folder).unwrap();
    }
}

fn models() -> Option<ModelSet> {
    let path = PathBuf::from(std::env::var_os("LOCKSTEP_OPENCONFIG")?);
    let modules = vec!["openconfig-system".to_owned()];
    let options = lockstep_yang::Options { path, modules, ..Default::default() };
    Some(ModelSet::load(&options).unwrap())
}

fn start() -> Option<Server> {
    let program = std::env::var_os("LOCKSTEP_GNMI_TARGET");
    let (Some(program), Some(models)) = (program, models()) else {
        println!("skipped: LOCKSTEP_GNMI_TARGET or LOCKSTEP_OPENCONFIG is not set");
        return None;
    };
    // Free when it was asked for; the program cannot say which port it took by itself.
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let folder = std::env::temp_dir().join(format!("lockstep-gnxi-{}", address.port()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("holds.json"), HOLDS).unwrap();
    let process = Command::new(program)
        .args(["-notls", "-bind_address", &address.to_string(), "-config"])
        .arg(folder.join("holds.json"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    Some(Server { process, folder, address, models })
}

/// A line, as soon as it listens.
async fn line(server: &Server, options: Options) -> Arc<dyn Line> {
    let driver = Gnmi::new(options, server.models.clone());
    within("the server", async {
        loop {
            match driver.connect().await {
                Ok(line) => return line,
                Err(_) => tokio::task::yield_now().await,
            }
        }
    })
    .await
}

fn held(leaves: &[(&str, &str)]) -> Configuration {
    leaves.iter().map(|(at, text)| (path(at), Content::leaf(*text))).collect()
}

#[tokio::test]
async fn it_is_read_and_changed_as_far_as_it_can() {
    let Some(server) = start() else { return };
    let line = line(&server, options(server.address)).await;
    accepted(line.ask(MANDATE, Ask::Claim).await);
    assert_eq!((line.fencing(), line.confirms()), (Some(Fencing::StoreOnly), Some(false)));
    let (hostname, banner) = ("/system/config/hostname", "/system/config/login-banner");
    let both = held(&[(hostname, "leaf1"), (banner, "hi")]);
    assert_eq!(line.ask(MANDATE, Ask::Read).await, Answer::Values(both.clone()));

    let wrong = line.ask(MANDATE, Ask::Set(delta([leaf(hostname, "leaf2")]))).await;
    assert!(matches!(wrong, Answer::Refused(_)), "{wrong:?}");
    assert_eq!(line.ask(MANDATE, Ask::Read).await, Answer::Values(both));

    accepted(line.ask(MANDATE, Ask::Set(delta([(path(banner), None)]))).await);
    let one = held(&[(hostname, "leaf1")]);
    assert_eq!(line.ask(MANDATE, Ask::Read).await, Answer::Values(one));
}

#[tokio::test]
async fn it_is_watched_by_reading() {
    let Some(server) = start() else { return };
    let often = Options { drift_interval: Duration::from_millis(50), ..options(server.address) };
    let line = line(&server, often).await;
    let (tell, mut told) = mpsc::channel(1);
    tokio::select! {
        () = line.watch(Watch::default(), tell) => panic!("it ended"),
        all = within("all", told.recv()) => {
            assert!(matches!(all, Some(Notice::All(all)) if all.len() == 2));
        }
    }
}
