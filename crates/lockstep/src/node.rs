//! `node`: the nodes, and which targets each is the master of.

use clap::{Args, Subcommand};
use lockstep_gnmi::proto::lockstep::v1::{ListNodesRequest, Node};

use crate::cli::{Failed, Global, Output};
use crate::client::{Certificates, Client, refused};
use crate::output::{self, json_document, table};

/// Nodes.
#[derive(Debug, Args)]
pub(crate) struct Nodes {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    certificates: Certificates,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the nodes that are alive
    #[command(after_help = "\
Examples:
  lockstep --insecure node list
  lockstep --insecure node list --output json        with every target of each, and its term

A node that is not there any more is gone from the list within seconds; its targets go to the others.")]
    List,
}

/// Does it.
pub(crate) async fn node(nodes: &Nodes, global: &Global) -> Result<(), Failed> {
    let Command::List = nodes.command;
    let mut admin = Client::connect(global, &nodes.certificates).await?.admin();
    let answer = admin.list_nodes(ListNodesRequest {}).await.map_err(|s| refused(&s))?;
    let shown = answer.into_inner().nodes;
    if global.output == Output::Json {
        return Ok(json_document(&shown.iter().map(output::node).collect())?);
    }
    let row = |node: &Node| {
        let targets: Vec<&str> = node.masterships.keys().map(String::as_str).collect();
        vec![
            node.name.clone(),
            if node.answers { "this one".to_owned() } else { String::new() },
            targets.len().to_string(),
            output::names(&targets),
            node.session.clone(),
        ]
    };
    let rows: Vec<_> = shown.iter().map(row).collect();
    Ok(table(&["NAME", "ASKED", "MASTER OF", "TARGETS", "SESSION"], &["SESSION", "ASKED"], &rows)?)
}
