//! The change file, from a file or standard input. JSON is YAML too, so both are read alike.

use std::io::Read;

use lockstep_gnmi::change;
use lockstep_gnmi::proto::gnmi::SetRequest;
use serde_json::Value;

use crate::cli::Failed;

/// One Set for everything that a file asks.
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
    let file: Value = serde_saphyr::from_str(text)?;
    Ok(change::read(file)?)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn both_forms_are_read() {
        let yaml = "leaf1: {update: {/system/motd: hello}, replace: {/a: {b: 1}}}\nleaf2: {delete: [/a/b]}";
        let json = r#"{"leaf1": {"update": {"/system/motd": "hello"}, "replace": {"/a": {"b": 1}}},
                       "leaf2": {"delete": ["/a/b"]}}"#;
        assert_eq!(parse(yaml).unwrap(), parse(json).unwrap());
    }

    #[test]
    fn what_is_not_known_is_an_error() {
        for text in ["leaf1: {updat: {}}", "leaf1: {update: {'//': 1}}", "leaf1: [", "leaf1: 1"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
