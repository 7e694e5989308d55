//! `get`: what targets are configured with, and what they report.

use clap::{Args, ValueEnum};
use lockstep_gnmi::proto::gnmi::get_request::DataType;
use lockstep_gnmi::proto::gnmi::{Encoding, GetRequest, Path as WirePath};
use lockstep_gnmi::proto::lockstep::v1::GetConfigurationRequest;
use lockstep_gnmi::{path, value};
use lockstep_types::Path;
use serde_json::{Value, json};

use crate::cli::{Failed, Global};
use crate::client::{Certificates, Client, refused};
use crate::completions;
use crate::diff::Side;
use crate::exit::{Ended, USAGE};
use crate::output::{self, json_document};

/// Read configuration.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep --insecure get leaf1 /interfaces
  lockstep --insecure get '*' /system/motd           of every target
  lockstep --insecure get leaf1 '/interfaces/interface[name=eth1/1]/mtu'
  lockstep --insecure get leaf1 /system --side device   what the device itself says
  lockstep --insecure get leaf1 /system --side 7     how it stood after transaction 7")]
pub(crate) struct Get {
    /// Of which target; `*` stands for every one
    #[arg(add = completions::targets())]
    target: String,
    /// Which paths; none: everything
    paths: Vec<Path>,
    /// What kind of data
    #[arg(long = "type", value_enum, default_value = "config", conflicts_with = "side")]
    kind: Kind,
    /// Which side of it: visible, committed, applied, device; an index or a time: how it stood then
    #[arg(long, add = completions::sides())]
    side: Option<Side>,
    #[command(flatten)]
    certificates: Certificates,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    /// What is wanted
    Config,
    /// What devices report
    State,
    /// Both
    All,
}

/// `get`: the values by target and path.
pub(crate) async fn get(get: &Get, global: &Global) -> Result<(), Failed> {
    if get.side.is_some() && get.target == "*" {
        return Err(Ended::with(USAGE, "a side is that of one target; name it"));
    }
    let client = Client::connect(global, &get.certificates).await?;
    if let Some(side) = &get.side {
        return side_of(get, side, &client).await;
    }
    let kind = match get.kind {
        Kind::Config => DataType::Config,
        Kind::State => DataType::State,
        Kind::All => DataType::All,
    };
    let request = GetRequest {
        prefix: Some(WirePath { target: get.target.clone(), ..WirePath::default() }),
        path: get.paths.iter().map(path::write).collect(),
        r#type: kind.into(),
        encoding: Encoding::JsonIetf.into(),
        ..GetRequest::default()
    };
    let answer = client.gnmi().get(request).await.map_err(|status| refused(&status))?;
    let mut shown = serde_json::Map::new();
    for notification in answer.into_inner().notification {
        let target = notification.prefix.map(|prefix| prefix.target).unwrap_or_default();
        let values = shown.entry(target).or_insert_with(|| json!({}));
        for update in notification.update {
            let at = path::read(None, &update.path.unwrap_or_default())?;
            let (_, json) = value::read(&update.val.unwrap_or_default())?;
            values[at.to_string()] = json;
        }
    }
    Ok(json_document(&Value::Object(shown))?)
}

/// One side of one target.
async fn side_of(get: &Get, side: &Side, client: &Client) -> Result<(), Failed> {
    let request = GetConfigurationRequest {
        of: Some(side.of(&get.target)),
        path: get.paths.iter().map(ToString::to_string).collect(),
        defaults: true,
    };
    let answer = client.admin().get_configuration(request).await.map_err(|s| refused(&s))?;
    let found = output::configuration(answer.get_ref());
    let mut shown = serde_json::Map::new();
    shown.insert(get.target.clone(), found["values"].clone());
    Ok(json_document(&Value::Object(shown))?)
}
