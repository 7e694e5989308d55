//! What a binding says of how its target is reached: the keys of the configuration file, as JSON.
//!
//! ```json
//! {"version": 1, "source": "api", "options": {"address": ["10.0.0.2:57400"], "password": "$LOCKSTEP_TARGET_LEAF2"}}
//! ```
//!
//! Kept as they were given: what comes from the environment does so on each node, when it is used. Those
//! of a target of the file are there to be shown only; how it is reached, each node's file says.

use std::fmt;

use lockstep_node::Source;
use lockstep_protocol::record::Binding;
use lockstep_types::ModelDigest;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::config::TargetConfig;

/// The latest form. One that is later may not be understood, and then nothing is done with it.
const VERSION: u32 = 1;

/// What a binding says beside what the core reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Details {
    version: u32,
    source: From,
    #[serde(default)]
    options: Map<String, Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum From {
    File,
    Api,
}

impl Details {
    /// Of a target of the file.
    pub(super) fn of_file(model: &str, addresses: &[String], tags: &[String]) -> Self {
        let mut options = Map::new();
        options.insert("model".into(), json!(model));
        options.insert("address".into(), json!(addresses));
        if !tags.is_empty() {
            options.insert("tags".into(), json!(tags));
        }
        Self { version: VERSION, source: From::File, options }
    }

    /// Of a target that operators gave these options.
    pub(super) fn given(options: Map<String, Value>) -> Self {
        Self { version: VERSION, source: From::Api, options }
    }

    /// What a target with these details is bound to, which come to this.
    pub(super) fn bound(&self, given: &TargetConfig, models: ModelDigest) -> Binding {
        Binding {
            models,
            initial: given.initial,
            drift: given.drift,
            ignore: given.ignore.clone(),
            details: self.to_string(),
        }
    }

    /// Reads them. A store of before they were kept has none: its targets are of the file.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self::of_file("", &[], &[]));
        }
        let read = serde_json::from_str(text);
        let read: Self = read.map_err(|error| {
            format!(
                "how it is reached cannot be read: {error}; say it again: `lockstep target set`"
            )
        })?;
        if read.version > VERSION {
            return Err(format!(
                "how it is reached was written by a later version of Lockstep, in form {}; this one \
                 reads up to {VERSION}: run the same version on every node",
                read.version
            ));
        }
        Ok(read)
    }

    pub(super) fn source(&self) -> Source {
        match self.source {
            From::File => Source::File,
            From::Api => Source::Api,
        }
    }

    pub(super) fn options(&self) -> &Map<String, Value> {
        &self.options
    }

    /// What of it says how the target is reached; none: each node's file says that.
    pub(super) fn way(&self) -> Option<Map<String, Value>> {
        // These are for others to read, or in the binding itself.
        const OTHERS: [&str; 5] = ["model", "tags", "initial", "drift", "ignore"];
        let mut options = self.options.clone();
        options.retain(|key, _| !OTHERS.contains(&key.as_str()));
        (self.source == From::Api).then_some(options)
    }

    pub(super) fn model(&self) -> String {
        self.options.get("model").and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    pub(super) fn addresses(&self) -> Vec<String> {
        match self.options.get("address") {
            Some(Value::String(one)) => vec![one.clone()],
            Some(Value::Array(several)) => texts(several),
            _ => Vec::new(),
        }
    }

    pub(super) fn tags(&self) -> Vec<String> {
        self.options
            .get("tags")
            .and_then(Value::as_array)
            .map(|tags| texts(tags))
            .unwrap_or_default()
    }
}

fn texts(values: &[Value]) -> Vec<String> {
    values.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

impl fmt::Display for Details {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}
