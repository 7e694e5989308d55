//! Who may do what: every cell of the table in docs/authorisation.md, asked of the services themselves.
//!
//! The page has the roles and the table, and this holds the program to both. `make authorisation` writes the
//! answers that are given into the page, to be looked at.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what went wrong by panicking"
)]

mod ask;
mod claims;
mod commit;
mod guesses;
mod lab;
mod late;
mod leaks;
mod limits;
mod look;
mod operate;
mod page;
mod shown;
mod web;
mod wild;

use prost::Message;
use prost_types::FileDescriptorSet;

use lab::Lab;
use page::Page;

/// Every RPC of ours and of gNMI, by name.
fn methods() -> impl Iterator<Item = String> {
    let all = FileDescriptorSet::decode(lockstep_gnmi::NODE_DESCRIPTORS).unwrap();
    let services = all.file.into_iter().flat_map(|file| file.service);
    services.flat_map(|service| service.method).map(|method| method.name().to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_cell_is_as_the_page_says() {
    let page = Page::read();
    let lab = Lab::start(page.roles()).await;
    let mut given = page.clone();
    for (row, request) in page.requests().enumerate() {
        for (column, identity) in page.identities().iter().enumerate() {
            given.set(row, column, lab.ask(identity, request).await);
        }
    }
    let operations = lab.operations().await;
    let heard = lab.heard("stranger");
    lab.stop().await;
    let missing: Vec<String> = methods().filter(|method| !heard.contains(method)).collect();
    assert!(missing.is_empty(), "no row asks for {missing:?}");
    let lacking: Vec<_> =
        operations.iter().filter(|(method, path)| !page.has(method, path)).collect();
    assert!(lacking.is_empty(), "no row asks for {lacking:?}");
    if std::env::var_os("LOCKSTEP_WRITE").is_some() {
        given.write();
        return;
    }
    let wrong: Vec<String> = page.differences(&given).collect();
    assert!(page.cells() > 300, "the table has {} cells", page.cells());
    assert!(wrong.is_empty(), "{} of {} cells:\n{}", wrong.len(), page.cells(), wrong.join("\n"));
}
