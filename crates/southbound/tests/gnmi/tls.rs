//! TLS: who is believed, and who we say we are.

use std::path::PathBuf;

use lockstep_protocol::Ask;
use lockstep_southbound::gnmi::{Gnmi, Options};
use lockstep_southbound::{ConnectError, Driver};
use tonic::transport::{Certificate, Identity, ServerTlsConfig};

use crate::support::{Device, MANDATE, World, accepted, models, options, within};

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/gnmi/certificates").join(name)
}

fn read(name: &str) -> Vec<u8> {
    std::fs::read(file(name)).unwrap()
}

fn server() -> ServerTlsConfig {
    ServerTlsConfig::new().identity(Identity::from_pem(read("leaf1.pem"), read("leaf1.key")))
}

async fn device(tls: ServerTlsConfig) -> Options {
    let address = Device::new().listen(Some(tls)).await;
    Options { insecure: false, ..options(address) }
}

async fn refused(options: Options) -> String {
    let driver = Gnmi::new(options, models());
    match within("a refusal", driver.connect()).await {
        Err(error) => error.to_string(),
        Ok(_) => panic!("connected"),
    }
}

fn trusting(options: Options) -> Options {
    Options {
        tls_ca: Some(file("authority.pem")),
        tls_server_name: Some("leaf1".into()),
        ..options
    }
}

#[tokio::test]
async fn a_device_that_its_authority_vouches_for_is_believed() {
    let line = World::line(trusting(device(server()).await)).await;
    accepted(line.ask(MANDATE, Ask::Claim).await);
}

#[tokio::test]
async fn another_authority_is_not_believed() {
    let options = trusting(device(server()).await);
    let why = refused(Options { tls_ca: Some(file("stranger.pem")), ..options }).await;
    assert!(why.contains("UnknownIssuer"), "{why}");
}

#[tokio::test]
async fn another_name_is_not_believed() {
    let options = trusting(device(server()).await);
    let why = refused(Options { tls_server_name: Some("leaf2".into()), ..options }).await;
    assert!(why.contains("leaf2"), "{why}");
}

#[tokio::test]
async fn without_an_authority_nothing_is_tried() {
    let options = device(server()).await;
    let driver = Gnmi::new(options, models());
    let error = driver.connect().await.unwrap_err();
    assert!(matches!(error, ConnectError::Option { option: "tls-ca", .. }), "{error}");
}

#[tokio::test]
async fn an_operator_may_leave_out_the_check() {
    let options = device(server()).await;
    let line = World::line(Options { skip_verify: true, ..options }).await;
    accepted(line.ask(MANDATE, Ask::Claim).await);
}

#[tokio::test]
async fn a_device_may_ask_who_we_are() {
    let asking = || server().client_ca_root(Certificate::from_pem(read("authority.pem")));
    let options = trusting(device(asking()).await);
    let why = refused(options.clone()).await;
    assert!(!why.is_empty());
    let shown = Options {
        tls_cert: Some(file("client.pem")),
        tls_key: Some(file("client.key")),
        ..options
    };
    let line = World::line(shown).await;
    accepted(line.ask(MANDATE, Ask::Claim).await);
}

#[tokio::test]
async fn half_of_a_certificate_is_an_error_that_says_so() {
    let options = trusting(device(server()).await);
    let why = refused(Options { tls_cert: Some(file("client.pem")), ..options.clone() }).await;
    assert_eq!(why, "tls-cert: needs tls-key beside it");
    let why = refused(Options { tls_ca: Some(file("nothing.pem")), ..options }).await;
    assert!(why.starts_with("tls-ca: ") && why.contains("nothing.pem"), "{why}");
}

#[tokio::test]
async fn files_are_read_anew_for_each_connection() {
    let folder = std::env::temp_dir().join(format!("lockstep-tls-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let authority = folder.join("authority.pem");
    std::fs::write(&authority, read("stranger.pem")).unwrap();
    let options = trusting(device(server()).await);
    let driver = Gnmi::new(Options { tls_ca: Some(authority.clone()), ..options }, models());
    assert!(within("a refusal", driver.connect()).await.is_err());
    std::fs::write(&authority, read("authority.pem")).unwrap();
    let connected = within("a line", driver.connect()).await;
    std::fs::remove_dir_all(folder).unwrap();
    connected.unwrap();
}
