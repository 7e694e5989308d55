//! What each entry of a journal changed, for those who ask.

use lockstep_gnmi::proto::lockstep::sim::v1 as wire;
use lockstep_types::{Configuration, Content};

use super::wire::write_entry;
use crate::journal::Entry;

/// Entries with what they changed, in their order. Those up to `after` only say what was there before.
pub(super) fn write(entries: Vec<Entry>, after: u64) -> Vec<wire::Entry> {
    let mut held = Configuration::new();
    let mut written = Vec::with_capacity(entries.len());
    for mut entry in entries {
        let now = entry.configuration.take().unwrap_or_default();
        if entry.number > after {
            let delta = held.diff(&now);
            let changes = delta.iter().map(|(path, content)| wire::Change {
                path: path.to_string(),
                value: content.as_ref().map(text),
            });
            written.push(wire::Entry { changes: changes.collect(), ..write_entry(entry) });
        }
        held = now;
    }
    written
}

fn text(content: &Content) -> String {
    match content {
        Content::Leaf(value) => value.to_string(),
        Content::LeafList(values) => {
            values.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
        }
        Content::Entry | Content::Presence | Content::Order(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use lockstep_gnmi::proto::lockstep::sim::v1 as wire;
    use lockstep_types::{Configuration, Content, Path, Value};

    use super::write;
    use crate::journal::{Entry, Kind};

    fn entry(number: u64, motd: Option<&str>) -> Entry {
        let path: Path = "/system/motd".parse().unwrap();
        let held = motd.map(|text| (path, Content::leaf(Value::string(text))));
        let configuration: Configuration = held.into_iter().collect();
        Entry { number, configuration: Some(configuration), ..Entry::new(Kind::Set) }
    }

    #[test]
    fn each_entry_has_what_it_changed_and_the_first_has_everything() {
        let entries = [(1, Some("one")), (2, Some("one")), (3, Some("two")), (4, None)];
        let entries: Vec<_> = entries.map(|(number, motd)| entry(number, motd)).into();
        let told = |after| {
            let from = entries.iter().filter(|entry| entry.number >= after).cloned().collect();
            let written = write(from, after).into_iter();
            let values = |entry: wire::Entry| {
                entry.changes.into_iter().map(|change| change.value).collect::<Vec<_>>()
            };
            written.map(values).collect::<Vec<_>>()
        };
        let [one, two] = [Some("one".to_owned()), Some("two".to_owned())];
        assert_eq!(told(0), [vec![one], vec![], vec![two.clone()], vec![None]]);
        assert_eq!(told(2), [vec![two], vec![None]]);
    }
}
