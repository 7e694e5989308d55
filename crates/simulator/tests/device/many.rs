//! Many devices in one process.

use std::collections::BTreeSet;
use std::net::{SocketAddr, TcpListener};

use lockstep_simulator::{Error, Options, Simulator};
use serde_json::json;

use crate::ask::Ask;
use crate::stage::{Client, channel, models, simulator};

#[tokio::test]
async fn devices_share_nothing_but_their_models() {
    let simulator = simulator(200);
    let addresses: BTreeSet<_> = simulator.addresses().iter().collect();
    assert_eq!(addresses.len(), 200);
    for number in [0, 199] {
        let mut client = Client::new(channel(simulator.addresses()[number]).await);
        let set = Ask::new().update("/system/motd", json!(number.to_string()));
        set.send(&mut client).await.unwrap();
    }
    let holding = simulator.devices().iter().filter(|device| !device.configuration().is_empty());
    assert_eq!(holding.count(), 2);
    assert!(simulator.device(199).is_some() && simulator.device(200).is_none());
    simulator.stop().await;
}

#[tokio::test]
async fn ports_follow_the_first_one() {
    // Ports that are free now; somebody else may take one, so several tries.
    for _ in 0..20 {
        let first = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let started = Simulator::start(Options { models: models(), listen: first, count: 3 });
        if let Ok(simulator) = started {
            let ports: Vec<_> = simulator.addresses().iter().map(SocketAddr::port).collect();
            assert_eq!(ports, [first.port(), first.port() + 1, first.port() + 2]);
            return;
        }
    }
    panic!("no three ports in a row");
}

#[tokio::test]
async fn ports_that_are_not_there_are_an_error() {
    let listen = SocketAddr::from(([127, 0, 0, 1], 65535));
    let error = Simulator::start(Options { models: models(), listen, count: 2 }).unwrap_err();
    let ports = matches!(error, Error::Ports { first: 65535, count: 2 });
    assert!(ports || matches!(error, Error::Listen { .. }), "{error}");

    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = taken.local_addr().unwrap();
    let error = Simulator::start(Options { models: models(), listen, count: 1 }).unwrap_err();
    assert!(error.to_string().starts_with(&format!("cannot listen on {listen}")), "{error}");
}
