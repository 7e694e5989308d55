//! What is told of paths: the answer of a Get for one of them, or a change.

use lockstep_types::Path;
use serde_json::Value;

use crate::path;
use crate::proto::gnmi::{self, Notification, TypedValue, Update};
use crate::value;

/// What was found for a path that was asked for: a value for each concrete path, below the prefix where
/// that names all of them, otherwise with whole paths. `timestamp` is in nanoseconds since the Unix
/// epoch.
pub fn notification(
    prefix: Option<&gnmi::Path>,
    asked: &gnmi::Path,
    found: Vec<(Path, Value)>,
    ietf: bool,
    timestamp: i64,
) -> Result<Notification, path::Error> {
    let typed = |(path, json): (Path, Value)| (path, value::json(&json, ietf));
    let found = found.into_iter().map(typed).collect();
    told(prefix, &asked.origin, found, &[], timestamp)
}

/// The same for values of any encoding, and with what is there no more.
pub fn told(
    prefix: Option<&gnmi::Path>,
    origin: &str,
    updates: Vec<(Path, TypedValue)>,
    deletes: &[Path],
    timestamp: i64,
) -> Result<Notification, path::Error> {
    let above = prefix.map_or_else(|| Ok(Path::root()), |prefix| path::read(None, prefix))?;
    let mut paths = updates.iter().map(|(path, _)| path).chain(deletes);
    let below = paths.all(|path| above.is_prefix_of(path));
    let wire = |full: &Path| {
        let shown = if below { full.strip_prefix(&above) } else { None };
        gnmi::Path { origin: origin.to_owned(), ..path::write(shown.as_ref().unwrap_or(full)) }
    };
    let update = updates.into_iter().map(|(path, value)| {
        let path = Some(wire(&path));
        Update { path, val: Some(value), ..Update::default() }
    });
    let update = update.collect();
    let delete = deletes.iter().map(wire).collect();
    let prefix = prefix.cloned().map(|prefix| match below {
        true => prefix,
        false => gnmi::Path { elem: Vec::new(), element: Vec::new(), ..prefix },
    });
    Ok(Notification { timestamp, prefix, update, delete, ..Notification::default() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::notification;
    use crate::path::{read, write};
    use crate::proto::gnmi;

    fn wire(text: &str) -> gnmi::Path {
        write(&text.parse().unwrap())
    }

    fn shown(prefix: Option<&str>, found: &[&str]) -> (Option<String>, Vec<String>) {
        let prefix = prefix.map(wire);
        let found = found.iter().map(|path| (path.parse().unwrap(), json!(1))).collect();
        let told = notification(prefix.as_ref(), &wire("/x"), found, true, 7).unwrap();
        let text = |path: &gnmi::Path| read(None, path).unwrap().to_string();
        let paths = told.update.iter().map(|update| text(update.path.as_ref().unwrap()));
        (told.prefix.as_ref().map(text), paths.collect())
    }

    #[test]
    fn paths_go_on_from_the_prefix() {
        let below = shown(Some("/l[k=1]"), &["/l[k=1]/x", "/l[k=1]/y"]);
        assert_eq!(below, (Some("/l[k=1]".into()), vec!["/x".into(), "/y".into()]));
        assert_eq!(shown(None, &["/l[k=1]/x"]), (None, vec!["/l[k=1]/x".into()]));
    }

    #[test]
    fn a_prefix_that_stands_for_many_is_not_repeated() {
        let whole = shown(Some("/l[k=*]"), &["/l[k=1]/x", "/l[k=2]/x"]);
        assert_eq!(whole, (Some("/".into()), vec!["/l[k=1]/x".into(), "/l[k=2]/x".into()]));
    }
}
