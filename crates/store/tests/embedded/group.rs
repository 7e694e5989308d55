//! Those who wait for the disk share its sync.

use std::time::Instant;

use lockstep_store::kv::Op;

use crate::support::{open, write};

const WRITERS: u64 = 64;
const ROUNDS: u64 = 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_writers_share_a_sync() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let began = Instant::now();
    let writers = (0..WRITERS).map(|writer| {
        let store = store.clone();
        tokio::spawn(async move {
            for round in 0..ROUNDS {
                let key = format!("{writer}/{round}").into_bytes();
                write(&store, vec![Op::put(key, vec![0; 1024])]).await;
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let (writes, commits) = (WRITERS * ROUNDS, store.commits());
    println!("{writes} writes in {commits} commits, {:?}", began.elapsed());
    assert!(commits >= ROUNDS && commits * 4 < writes, "{writes} writes took {commits} commits");
}

#[tokio::test]
async fn a_lone_writer_waits_for_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let began = Instant::now();
    for round in 0..50_u64 {
        write(&store, vec![Op::put(round.to_be_bytes(), vec![0; 1024])]).await;
        assert_eq!(store.commits(), round + 1);
    }
    println!("50 writes one after the other, {:?}", began.elapsed());
}
