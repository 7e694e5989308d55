//! A gNMI server that nobody here wrote: the one of the gNMI repository itself, in Go.
//!
//! It has Subscribe and nothing else, as some devices do. Runs where `LOCKSTEP_FAKE_SERVER` says where its
//! program is; `make interop` builds it.

use std::io::{BufRead, BufReader};
use std::path::{Path as FilePath, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lockstep_protocol::{Answer, Ask};
use lockstep_southbound::gnmi::Options;
use lockstep_southbound::{Fencing, Line, Notice, Watch};
use lockstep_types::{Configuration, Content};
use tokio::sync::mpsc;

use crate::support::{MANDATE, World, accepted, delta, leaf, options, path, within};

/// What it tells each subscriber: two leaves, that this was all, and then a change.
const TELLS: &str = r#"
target: "device"
disable_sync: true
disable_eof: true
fixed: {
  responses: { update: {
    timestamp: 1
    prefix: { elem: { name: "system" } }
    update: { path: { elem: { name: "hostname" } } val: { string_val: "leaf1" } }
    update: { path: { elem: { name: "uptime" } } val: { uint_val: 7 } }
  } }
  responses: { update: {
    timestamp: 2
    update: {
      path: { elem: { name: "vlans" } elem: { name: "vlan" key: { key: "id" value: "7" } } elem: { name: "name" } }
      val: { json_ietf_val: "\"seven\"" }
    }
  } }
  responses: { sync_response: true }
  responses: { update: {
    timestamp: 3
    update: { path: { elem: { name: "system" } elem: { name: "motd" } } val: { string_val: "hello" } }
    delete: { elem: { name: "vlans" } elem: { name: "vlan" key: { key: "id" value: "7" } } }
  } }
}
"#;

/// The server, until this is dropped.
struct Server {
    process: Child,
    port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

fn file(name: &str) -> PathBuf {
    FilePath::new(env!("CARGO_MANIFEST_DIR")).join("tests/gnmi/certificates").join(name)
}

fn start() -> Option<Server> {
    let Some(program) = std::env::var_os("LOCKSTEP_FAKE_SERVER") else {
        println!("skipped: LOCKSTEP_FAKE_SERVER does not say where the server is");
        return None;
    };
    static STARTED: AtomicUsize = AtomicUsize::new(0);
    let name = format!(
        "lockstep-tells-{}-{}",
        std::process::id(),
        STARTED.fetch_add(1, Ordering::Relaxed)
    );
    let config = std::env::temp_dir().join(name);
    std::fs::write(&config, TELLS).unwrap();
    let process = Command::new(program)
        .args(["-text", "-port", "0", "-logtostderr", "-config"])
        .arg(&config)
        .args(["-server_crt".into(), file("leaf1.pem"), "-server_key".into(), file("leaf1.key")])
        .args(["-ca_crt".into(), file("authority.pem")])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // From here on it is ended whatever happens.
    let mut server = Server { process, port: 0 };
    let mut lines = BufReader::new(server.process.stderr.take().unwrap()).lines();
    let line = lines.find_map(|line| line.ok().filter(|line| line.contains("Starting RPC")));
    server.port = line.unwrap().rsplit(':').next().unwrap().trim().parse().unwrap();
    // Nobody reads what it says from now on, and it must not wait for that.
    std::thread::spawn(move || lines.for_each(drop));
    std::fs::remove_file(config).unwrap();
    Some(server)
}

async fn line(server: &Server) -> Arc<dyn Line> {
    let address = ([127, 0, 0, 1], server.port).into();
    World::line(Options {
        insecure: false,
        tls_ca: Some(file("authority.pem")),
        tls_cert: Some(file("client.pem")),
        tls_key: Some(file("client.key")),
        tls_server_name: Some("leaf1".into()),
        ..options(address)
    })
    .await
}

fn stands() -> Configuration {
    let units = [
        ("/system/hostname", Content::leaf("leaf1")),
        ("/vlans/vlan[id=7]", Content::Entry),
        ("/vlans/vlan[id=7]/name", Content::leaf("seven")),
    ];
    units.into_iter().map(|(at, content)| (path(at), content)).collect()
}

#[tokio::test]
async fn what_it_has_not_is_found_out_and_what_it_has_is_used() {
    let Some(server) = start() else { return };
    let line = line(&server).await;
    accepted(line.ask(MANDATE, Ask::Claim).await);
    assert_eq!((line.fencing(), line.confirms()), (Some(Fencing::StoreOnly), Some(false)));
    assert_eq!(line.ask(MANDATE, Ask::Read).await, Answer::Values(stands()));
    let set = line.ask(MANDATE, Ask::Set(delta([leaf("/system/motd", "x")]))).await;
    let Answer::Refused(failure) = set else { panic!("{set:?}") };
    assert_eq!(failure.code, "UNIMPLEMENTED");
}

#[tokio::test]
async fn its_changes_are_told() {
    let Some(server) = start() else { return };
    let line = line(&server).await;
    let (tell, mut told) = mpsc::channel(4);
    let heard = async {
        let Some(Notice::All(mut held)) = told.recv().await else { panic!("not all") };
        assert_eq!(*held, stands());
        let Some(Notice::Changed(edit)) = told.recv().await else { panic!("no change") };
        held.apply_values(&edit.onto(&held));
        held
    };
    tokio::select! {
        () = line.watch(Watch::default(), tell) => panic!("it ended"),
        held = within("a change", heard) => {
            let after = [
                (path("/system/hostname"), Content::leaf("leaf1")),
                (path("/system/motd"), Content::leaf("hello")),
            ];
            assert!(held.same_values(&after.into_iter().collect()), "{held:?}");
        }
    }
}
