//! The change file: what is asked of each target, several at once.

use std::collections::BTreeMap;
use std::io::Read;

use lockstep_gnmi::path;
use lockstep_gnmi::proto::gnmi::{Path as WirePath, SetRequest};
use lockstep_types::Path;
use serde::Deserialize;
use serde_json::Value;

use super::given::{update, value};
use crate::cli::Failed;

/// What is asked of one target.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    #[serde(default)]
    update: BTreeMap<Path, Value>,
    #[serde(default)]
    replace: BTreeMap<Path, Value>,
    #[serde(default)]
    delete: Vec<Path>,
}

/// One Set for everything that a file asks. JSON is YAML too, so both are read alike.
pub(super) fn read(name: &str) -> Result<SetRequest, Failed> {
    let mut text = String::new();
    if name == "-" {
        std::io::stdin().read_to_string(&mut text)?;
    } else {
        text = std::fs::read_to_string(name).map_err(|e| format!("cannot read {name}: {e}"))?;
    }
    parse(&text).map_err(|error| format!("{name}: {error}").into())
}

fn parse(text: &str) -> Result<SetRequest, Failed> {
    let asked: BTreeMap<String, Asked> = serde_saphyr::from_str(text)?;
    let mut request = SetRequest::default();
    for (target, asked) in asked {
        let deletes = asked.delete.iter();
        let deletes = deletes.map(|at| WirePath { target: target.clone(), ..path::write(at) });
        request.delete.extend(deletes);
        request
            .replace
            .extend(asked.replace.iter().map(|(at, json)| update(&target, at, value(json))));
        request
            .update
            .extend(asked.update.iter().map(|(at, json)| update(&target, at, value(json))));
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn both_forms_are_read() {
        let yaml = "leaf1: {update: {/system/motd: hello}, replace: {/a: {b: 1}}}\nleaf2: {delete: [/a/b]}";
        let json = r#"{"leaf1": {"update": {"/system/motd": "hello"}, "replace": {"/a": {"b": 1}}},
                       "leaf2": {"delete": ["/a/b"]}}"#;
        let read = parse(yaml).unwrap();
        assert_eq!(read, parse(json).unwrap());
        assert_eq!((read.update.len(), read.replace.len(), read.delete.len()), (1, 1, 1));
        assert_eq!(read.delete[0].target, "leaf2");
    }

    #[test]
    fn what_is_not_known_is_an_error() {
        for text in ["leaf1: {updat: {}}", "leaf1: {update: {'//': 1}}", "leaf1: [", "leaf1: 1"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
