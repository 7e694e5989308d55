//! Devices that speak TLS.

use std::path::Path;

use lockstep_simulator::control::Client as Wires;
use lockstep_simulator::faults::Does;
use lockstep_simulator::journal::Kind;
use lockstep_simulator::setup::Tls;
use lockstep_simulator::{Error, Options, Setup, Simulator};
use serde_json::json;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity};

use crate::ask::{Ask, get, send};
use crate::stage::{Client, models};

/// Certificates that another room tests with.
fn file(name: &str) -> Vec<u8> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../southbound/tests/gnmi/certificates");
    std::fs::read(folder.join(name)).expect("a certificate")
}

fn start(client_ca: Option<Vec<u8>>) -> Simulator {
    let tls = Tls { cert: file("leaf1.pem"), key: file("leaf1.key"), client_ca };
    let options = Options { models: models(), listen: ([127, 0, 0, 1], 0).into(), count: 1 };
    let setup = Setup { tls: Some(tls), ..Setup::default() };
    Simulator::start_with(options, &setup).unwrap()
}

fn trusting() -> ClientTlsConfig {
    let authority = Certificate::from_pem(file("authority.pem"));
    ClientTlsConfig::new().domain_name("leaf1").ca_certificate(authority)
}

fn known() -> ClientTlsConfig {
    trusting().identity(Identity::from_pem(file("client.pem"), file("client.key")))
}

async fn connect(simulator: &Simulator, tls: ClientTlsConfig) -> Result<Client, String> {
    let address = format!("https://{}", simulator.addresses()[0]);
    let endpoint = Endpoint::from_shared(address).unwrap().tls_config(tls).unwrap();
    let mut client = Client::new(endpoint.connect().await.map_err(|error| error.to_string())?);
    // A client without a certificate may hear of it only now.
    let answer = send(&mut client, get(&["/"])).await;
    answer.map(|_| client).map_err(|(code, message)| format!("{code:?}: {message}"))
}

#[tokio::test]
async fn clients_see_who_it_is() {
    let simulator = start(None);
    let mut client = connect(&simulator, trusting()).await.unwrap();
    Ask::new().update("/system/motd", json!("x")).send(&mut client).await.unwrap();
    let stranger = ClientTlsConfig::new().domain_name("leaf2");
    let stranger = stranger.ca_certificate(Certificate::from_pem(file("authority.pem")));
    connect(&simulator, stranger).await.unwrap_err();
}

#[tokio::test]
async fn clients_have_to_show_who_they_are() {
    let simulator = start(Some(file("authority.pem")));
    connect(&simulator, trusting()).await.unwrap_err();
    connect(&simulator, known()).await.unwrap();
}

/// The connection that asks for it is known under TLS as well.
#[tokio::test]
async fn control_and_faults_work_as_in_plaintext() {
    let simulator = start(Some(file("authority.pem")));
    let address = simulator.addresses()[0].to_string();
    let mut wires = Wires::connect_tls(address, known()).await.unwrap();
    wires.restart(true).await.unwrap();
    wires.restart(true).await.unwrap();
    let mut client = connect(&simulator, known()).await.unwrap();
    wires.set_faults(Does::Drop { after: true }.once().on([Kind::Set])).await.unwrap();
    let set = Ask::new().update("/system/motd", json!("x"));
    set.send(&mut client).await.unwrap_err();
    assert_eq!(simulator.devices()[0].configuration().len(), 1);
}

#[tokio::test]
async fn certificates_that_are_none_are_an_error() {
    let tls = Tls { cert: b"x".to_vec(), key: b"y".to_vec(), client_ca: None };
    let options = Options { models: models(), listen: ([127, 0, 0, 1], 0).into(), count: 1 };
    let setup = Setup { tls: Some(tls), ..Setup::default() };
    let error = Simulator::start_with(options, &setup).unwrap_err();
    assert!(matches!(error, Error::Tls { .. }), "{error}");
}
