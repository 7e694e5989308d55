//! The change file, from a file or standard input. JSON is YAML too, so both are read alike.

use std::io::Read;

use lockstep_gnmi::change;
use lockstep_gnmi::proto::gnmi::SetRequest;
use serde_json::Value;
use serde_saphyr::UserMessageFormatter;

use crate::cli::Failed;

/// One Set for everything that a file asks.
pub(super) fn read(name: &str) -> Result<SetRequest, Failed> {
    let mut text = String::new();
    if name == "-" {
        std::io::stdin().read_to_string(&mut text)?;
    } else {
        text = std::fs::read_to_string(name).map_err(|e| format!("cannot read {name}: {e}"))?;
    }
    parse(&text).map_err(|error| format!("{}: {error}", said(name)).into())
}

/// What a file is called where people read it.
pub(super) fn said(name: &str) -> &str {
    if name == "-" { "standard input" } else { name }
}

/// A file may be as long as it likes: how much a Set may ask for is for the node to say. What stands against its length
/// are aliases that multiply.
fn parse(text: &str) -> Result<SetRequest, Failed> {
    let usual = serde_saphyr::Budget::default();
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_nodes: usual.max_nodes.max(text.len()),
            max_events: usual.max_events.max(2 * text.len()),
        },
    };
    let file: Result<Value, _> = serde_saphyr::from_str_with_options(text, options);
    let file = file.map_err(|error| error.render_with_formatter(&UserMessageFormatter))?;
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
    fn a_file_may_be_long() {
        let leaves: Vec<_> = (0..300_000).map(|n| format!("\"/a[b={n}]/c\": {n}")).collect();
        let text = format!("{{leaf1: {{update: {{{}}}}}}}", leaves.join(", "));
        assert_eq!(parse(&text).unwrap().update.len(), leaves.len());
    }

    #[test]
    fn aliases_that_multiply_are_refused() {
        let mut text = String::from("a0: &a0 {x: 1}\n");
        for n in 1..24 {
            let below = n - 1;
            text += &format!("a{n}: &a{n} [*a{below}, *a{below}, *a{below}, *a{below}]\n");
        }
        let refused = parse(&text).unwrap_err().to_string();
        assert!(refused.contains("too large"), "{refused}");
    }

    #[test]
    fn what_is_not_known_is_an_error() {
        for text in ["leaf1: {updat: {}}", "leaf1: {update: {'//': 1}}", "leaf1: [", "leaf1: 1"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_in_words_of_the_file() {
        let twice = parse("leaf1: {update: {/a: 1, /a: 2}}").unwrap_err().to_string();
        assert!(twice.contains("/a") && !twice.contains("Policy"), "{twice}");
    }
}
