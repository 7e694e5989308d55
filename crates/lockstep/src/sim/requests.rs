//! Which requests a fault is for, and the other words of a fault.

use clap::Args;
use lockstep_gnmi::code;
use lockstep_simulator::faults::{Does, Fault, Feature, On, Rewrite};
use lockstep_simulator::journal::Kind;
use lockstep_types::Path;
use tonic::Code;

use crate::cli::Failed;

/// Which requests a fault is for.
#[derive(Debug, Args)]
pub(super) struct Requests {
    /// Kinds of requests: set, claim (a Set without operations), confirm, cancel, extend, get, subscribe,
    /// capabilities, any
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = kinds)]
    pub(super) on: Vec<Kinds>,
    /// Only Sets that take something away
    #[arg(long)]
    pub(super) deletes: bool,
    /// As many requests, then no more
    #[arg(long, value_name = "N")]
    times: Option<u32>,
}

/// The same, with paths.
#[derive(Debug, Args)]
pub(super) struct Narrow {
    /// Only requests that touch this
    #[arg(long = "path", value_name = "PATH")]
    paths: Vec<Path>,
    #[command(flatten)]
    to: Requests,
}

/// A kind of request, or all of them.
#[derive(Clone, Debug)]
pub(super) struct Kinds(Vec<Kind>);

impl Requests {
    /// What the device does to them.
    pub(super) fn fault(self, paths: Vec<Path>, does: Does) -> Fault {
        let kinds = self.on.into_iter().flat_map(|Kinds(kinds)| kinds).collect();
        Fault { on: On { kinds, paths, deletes: self.deletes }, does, times: self.times }
    }
}

impl Narrow {
    /// What the device does to them.
    pub(super) fn fault(self, does: Does) -> Fault {
        self.to.fault(self.paths, does)
    }
}

fn kinds(name: &str) -> Result<Kinds, String> {
    if name == "any" {
        return Ok(Kinds(Kind::REQUESTS.to_vec()));
    }
    let kind = Kind::parse(name).filter(|kind| Kind::REQUESTS.contains(kind));
    kind.map(|kind| Kinds(vec![kind])).ok_or_else(|| {
        let names: Vec<_> = Kind::REQUESTS.iter().map(ToString::to_string).collect();
        format!("there are {} and any", names.join(", "))
    })
}

/// A feature by its name.
pub(super) fn feature(name: &str) -> Result<Feature, String> {
    Feature::parse(name).ok_or_else(|| "there is no such feature".to_owned())
}

/// What a device makes of values: a word, or JSON.
pub(super) fn rewrite(text: &str) -> Result<Rewrite, String> {
    match text {
        "upper" => Ok(Rewrite::Upper),
        "lower" => Ok(Rewrite::Lower),
        "keep" => Ok(Rewrite::Keep),
        json => serde_json::from_str(json)
            .map(Rewrite::Value)
            .map_err(|_| "neither upper, lower or keep, nor JSON".to_owned()),
    }
}

/// A code that is an error, by its name.
pub(super) fn error_code(name: &str) -> Result<Code, Failed> {
    let code = code::parse(name).filter(|code| *code != Code::Ok);
    Ok(code.ok_or_else(|| {
        format!("{name:?} is no gRPC code of an error; write it like FAILED_PRECONDITION")
    })?)
}
