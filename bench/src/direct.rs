//! The peer of a Set through a node: the same Set straight to each device, with no order, no record and no way back. And
//! the floor of a resync: every device dialled and read.
//!
//! Like a command line client that is given all addresses, it asks many at once; "cold" dials each first, "warm" has
//! connections already.

use std::sync::Arc;
use std::time::{Duration, Instant};

use lockstep_gnmi::proto::gnmi::g_nmi_client::GNmiClient;
use lockstep_gnmi::proto::gnmi::get_request::DataType;
use lockstep_gnmi::proto::gnmi::{Encoding, GetRequest, Path, SetRequest};
use lockstep_gnmi::{change, value};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tonic::transport::{Channel, Endpoint};

use crate::Failed;
use crate::times::Times;

/// How many devices are asked at once.
const AT_ONCE: usize = 256;
/// How many Sets one after the other.
const IN_A_ROW: u64 = 200;

type Client = GNmiClient<Channel>;

async fn dial(port: u16) -> Result<Client, Failed> {
    let endpoint = Endpoint::from_shared(format!("http://127.0.0.1:{port}"))?;
    Ok(GNmiClient::new(endpoint.connect().await?))
}

async fn set(client: &mut Client, number: u64) -> Result<(), Failed> {
    let at = "/interfaces/interface[name=bench0]/description".parse()?;
    let update = change::update("", &at, value::text(format!("direct {number}")));
    let request = SetRequest { update: vec![update], ..SetRequest::default() };
    client.set(request).await?;
    Ok(())
}

async fn read(client: &mut Client) -> Result<(), Failed> {
    let (r#type, encoding) = (DataType::Config.into(), Encoding::JsonIetf.into());
    let request =
        GetRequest { path: vec![Path::default()], r#type, encoding, ..GetRequest::default() };
    client.get(request).await?;
    Ok(())
}

/// Measures all of it.
pub(crate) async fn run(first: u16, count: u16, rounds: usize) -> Result<Value, Failed> {
    let mut number = 0;
    let mut one = dial(first).await?;
    let (mut times, began) = (Times::new()?, Instant::now());
    for _ in 0..IN_A_ROW {
        number += 1;
        let start = Instant::now();
        set(&mut one, number).await?;
        times.record(start.elapsed())?;
    }
    let in_a_row = times.told(began.elapsed());
    let mut warm = Vec::new();
    for port in (first..).take(count.into()) {
        warm.push(dial(port).await?);
    }
    let (mut colds, mut warms) = (Vec::new(), Vec::new());
    let ports: Vec<u16> = (first..).take(count.into()).collect();
    for _ in 0..rounds {
        number += 1;
        let cold = move |port| async move { set(&mut dial(port).await?, number).await };
        colds.push(milliseconds(everywhere(ports.clone(), cold).await?));
        number += 1;
        let connected = move |mut client| async move { set(&mut client, number).await };
        warms.push(milliseconds(everywhere(warm.clone(), connected).await?));
    }
    Ok(json!({ "in_a_row": in_a_row, "cold_milliseconds": colds, "warm_milliseconds": warms }))
}

/// Measures reads alone, which leave the devices as they are.
pub(crate) async fn reads(first: u16, count: u16, rounds: usize) -> Result<Value, Failed> {
    let mut reads = Vec::new();
    for _ in 0..rounds {
        let read = |port| async move { read(&mut dial(port).await?).await };
        reads.push(milliseconds(everywhere((first..).take(count.into()).collect(), read).await?));
    }
    Ok(json!({ "read_milliseconds": reads }))
}

fn milliseconds(took: Duration) -> f64 {
    took.as_secs_f64() * 1e3
}

async fn everywhere<T, F>(devices: Vec<T>, each: impl Fn(T) -> F) -> Result<Duration, Failed>
where
    F: Future<Output = Result<(), Failed>> + Send + 'static,
{
    let room = Arc::new(Semaphore::new(AT_ONCE));
    let began = Instant::now();
    let mut tasks = JoinSet::new();
    for device in devices {
        let (room, done) = (Arc::clone(&room), each(device));
        tasks.spawn(async move {
            let _permit = room.acquire().await?;
            done.await
        });
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    Ok(began.elapsed())
}
