//! The change file: what is asked of each target, several at once. The same on the command line and over HTTP.
//!
//! ```text
//!   {leaf1: {update: {/system/motd: hello}, replace: {/vlans: {…}}, delete: [/a/b]}, leaf2: …}
//! ```

use lockstep_types::{Path, path::Error as PathError};
use serde_json::{Map, Value};

use crate::proto::gnmi::{Path as WirePath, SetRequest, TypedValue, Update};
use crate::{path, value};

/// Why something is no change file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It is not an object of targets.
    #[error(
        "it is no change file: write what is asked of each target, as in \
         {{\"leaf1\": {{\"update\": {{\"/system/motd\": \"hello\"}}}}}}"
    )]
    NotTargets,
    /// What is asked of a target is not an object.
    #[error("target {0}: write {{\"update\": {{…}}, \"replace\": {{…}}, \"delete\": […]}}")]
    NotOperations(String),
    /// Something else is asked.
    #[error("target {target}: there is no {name:?}; there are update, replace and delete")]
    Unknown {
        /// Of which target.
        target: String,
        /// What.
        name: String,
    },
    /// An operation has the wrong form.
    #[error("target {target}: {name} is {form}")]
    Form {
        /// Of which target.
        target: String,
        /// Which operation.
        name: &'static str,
        /// What it should be.
        form: &'static str,
    },
    /// A path is none.
    #[error("target {target}: {path:?} is no path: {source}")]
    Path {
        /// Of which target.
        target: String,
        /// What was written.
        path: String,
        /// What is wrong with it.
        source: PathError,
    },
}

/// One Set for everything that a change file asks.
pub fn read(file: Value) -> Result<SetRequest, Error> {
    let targets = match file {
        Value::Object(targets) => targets,
        // An empty file asks for nothing.
        Value::Null => Map::new(),
        _ => return Err(Error::NotTargets),
    };
    let mut request = SetRequest::default();
    for (target, asked) in targets {
        let Value::Object(operations) = asked else { return Err(Error::NotOperations(target)) };
        for (name, given) in operations {
            match name.as_str() {
                "update" => request.update.extend(updates(&target, "update", given)?),
                "replace" => request.replace.extend(updates(&target, "replace", given)?),
                "delete" => request.delete.extend(deletes(&target, given)?),
                _ => return Err(Error::Unknown { target, name }),
            }
        }
    }
    Ok(request)
}

fn updates(target: &str, name: &'static str, given: Value) -> Result<Vec<Update>, Error> {
    let values: Map<String, Value> = match given {
        Value::Object(values) => values,
        Value::Null => Map::new(),
        _ => {
            let form = "an object of paths, each with its value";
            return Err(Error::Form { target: target.to_owned(), name, form });
        }
    };
    let each = values.iter();
    each.map(|(at, json)| Ok(update(target, &read_path(target, at)?, value(json)))).collect()
}

fn deletes(target: &str, given: Value) -> Result<Vec<WirePath>, Error> {
    let wrong = || {
        let form = "an array of paths";
        Error::Form { target: target.to_owned(), name: "delete", form }
    };
    let paths = match given {
        Value::Array(paths) => paths,
        Value::Null => Vec::new(),
        _ => return Err(wrong()),
    };
    let each = paths.iter().map(|at| {
        let at = read_path(target, at.as_str().ok_or_else(wrong)?)?;
        Ok(WirePath { target: target.to_owned(), ..path::write(&at) })
    });
    each.collect()
}

fn read_path(target: &str, text: &str) -> Result<Path, Error> {
    let wrong = |source| Error::Path { target: target.to_owned(), path: text.to_owned(), source };
    text.parse().map_err(wrong)
}

/// One update of a Set; with a target of its own where it is not in the prefix.
pub fn update(target: &str, at: &Path, value: TypedValue) -> Update {
    let path = WirePath { target: target.to_owned(), ..path::write(at) };
    Update { path: Some(path), val: Some(value), ..Update::default() }
}

/// A value from a file, where texts are quoted or not as the file's author likes.
fn value(given: &Value) -> TypedValue {
    match given {
        Value::String(text) => value::text(text),
        Value::Bool(truth) => value::text(truth.to_string()),
        // Its text is not known any more, 1.10 being 1.1: so it counts as a number only.
        Value::Number(number) if number.is_f64() => {
            value::double(number.as_f64().unwrap_or_default())
        }
        Value::Number(number) => value::text(number.to_string()),
        other => value::json(other, true),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_operation_goes_to_its_target() {
        let read = read(json!({
            "leaf1": {"update": {"/system/motd": "hello"}, "replace": {"/a": {"b": 1}}},
            "leaf2": {"delete": ["/a/b"]},
        }));
        let read = read.unwrap();
        assert_eq!((read.update.len(), read.replace.len(), read.delete.len()), (1, 1, 1));
        assert_eq!(read.update[0].val, Some(value::text("hello")));
        assert_eq!(read.replace[0].val, Some(value::json(&json!({"b": 1}), true)));
        assert_eq!(read.delete[0].target, "leaf2");
    }

    #[test]
    fn what_has_another_form_is_named() {
        for (file, words) in [
            (json!([]), "no change file"),
            (json!({"leaf1": 1}), "target leaf1"),
            (json!({"leaf1": {"updat": {}}}), "there is no \"updat\""),
            (json!({"leaf1": {"update": []}}), "update is an object"),
            (json!({"leaf1": {"delete": {}}}), "delete is an array"),
            (json!({"leaf1": {"delete": [1]}}), "delete is an array"),
            (json!({"leaf1": {"update": {"//": 1}}}), "\"//\" is no path"),
        ] {
            let said = read(file).unwrap_err().to_string();
            assert!(said.contains(words), "{said}");
        }
    }

    #[test]
    fn values_are_as_they_are_meant() {
        assert_eq!(value(&json!(true)), value::text("true"));
        assert_eq!(value(&json!(7)), value::text("7"));
        assert_eq!(value(&json!(1.5)), value::double(1.5));
        assert_eq!(value(&json!(["a"])), value::json(&json!(["a"]), true));
    }
}
