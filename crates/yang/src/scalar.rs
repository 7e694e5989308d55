//! Single values: into their canonical form, and between JSON and
//! [`Value`](lockstep_types::Value).
//!
//! What a type allows, only libyang knows. To ask it about one value without the data around it, a
//! module of our own stands beside the models: for each leaf it has a leaf-list that refers to it,
//! and so has its type. A whole request is canonicalised in one call, as one document of that
//! module; leaf-lists of state keep their order and may repeat a value.

mod classify;
mod helper;
mod prepare;
mod read;
mod write;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use serde_json::Value as Json;
use yang5::context::Context;

pub(crate) use helper::MODULE;
pub(crate) use prepare::Source;
pub(crate) use read::key_text;

use crate::error::LoadError;
use crate::libyang;
use crate::schema::{Id, ROOT, Schema};
use crate::set::ModelSet;

/// How JSON is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Plain: names and identities without module, every number a number.
    Json,
    /// RFC 7951: names with their module where it changes, wide numbers as strings.
    Ietf,
}

/// The answers libyang gave about single values, bounded.
#[derive(Debug, Default)]
pub(crate) struct Scalars {
    trials: Mutex<HashMap<(Id, String), Option<Json>>>,
}

/// Why a type does not have a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    /// libyang's words, or the model's own.
    pub(crate) message: String,
    /// The error-app-tag that the model gives it.
    pub(crate) app_tag: Option<String>,
}

impl From<String> for Wrong {
    fn from(message: String) -> Self {
        Self { message, app_tag: None }
    }
}

/// As many answers as are kept; beyond, all are forgotten. Some megabytes at most.
const KEPT: usize = 1 << 16;
/// Words longer than this are shortened.
const MOST: usize = 2048;
/// Values longer than this are not remembered.
const LONG: usize = 256;

impl Scalars {
    /// Puts our module beside the models.
    pub(crate) fn new(context: &Context, schema: &Schema) -> Result<Self, LoadError> {
        libyang::add_module(context, &helper::text(schema))?;
        Ok(Self::default())
    }

    fn known(&self, question: &(Id, String)) -> Option<Option<Json>> {
        let trials = self.trials.lock().unwrap_or_else(PoisonError::into_inner);
        trials.get(question).cloned()
    }

    fn learn(&self, question: (Id, String), answer: Option<Json>) {
        if question.1.len() > LONG {
            return;
        }
        let mut trials = self.trials.lock().unwrap_or_else(PoisonError::into_inner);
        if trials.len() >= KEPT {
            trials.clear();
        }
        trials.insert(question, answer);
    }
}

/// libyang's words on one line, and without the name of our module.
fn words(message: &str, module: &str) -> String {
    let lines = message.lines().map(|line| line.trim().trim_start_matches("ly2 "));
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    shortened(lines.join(" ").replace(MODULE, module))
}

/// Words that repeat a huge value, without most of it.
fn shortened(text: String) -> String {
    brief(text, MOST)
}

/// A text of about so many bytes at most, without its middle.
pub(crate) fn brief(text: String, most: usize) -> String {
    if text.len() <= most {
        return text;
    }
    let cut = |place: usize| (place..text.len()).find(|place| text.is_char_boundary(*place));
    let front = cut(most / 2).unwrap_or(text.len());
    let back = cut(text.len() - most / 2).unwrap_or(text.len());
    format!("{} … {}", &text[..front], &text[back..])
}

impl ModelSet {
    /// The canonical forms of these values, in their order; or for each that its type does not
    /// have, its place and what is wrong.
    pub(crate) fn canonical(
        &self,
        values: &[(Id, Json)],
    ) -> Result<Vec<Json>, Vec<(usize, Wrong)>> {
        let one_by_one = || {
            let each = values.iter().map(|(id, json)| self.canonical_one(*id, json));
            let (mut good, mut bad) = (Vec::new(), Vec::new());
            for (place, result) in each.enumerate() {
                match result {
                    Ok(json) => good.push(json),
                    Err(wrong) => bad.push((place, wrong)),
                }
            }
            if bad.is_empty() { Ok(good) } else { Err(bad) }
        };
        // Most changes set a name or a description, where libyang has nothing to say.
        if values.iter().all(|(id, json)| self.is_as_it_is(*id, json)) {
            return Ok(values.iter().map(|(_, json)| json.clone()).collect());
        }
        match self.ask(values) {
            Ok(answers) if answers.len() == values.len() => Ok(answers),
            _ => one_by_one(),
        }
    }

    /// Whether a value is a text that its type takes as it is.
    fn is_as_it_is(&self, id: Id, json: &Json) -> bool {
        // Of what YANG lets a text have, all but tabs, ends of lines and what lies beyond the planes that names are in.
        let is_plain = |text: &str| text.chars().all(|c| (' '..='\u{D7FF}').contains(&c));
        self.schema().node(id).any_text && json.as_str().is_some_and(is_plain)
    }

    pub(crate) fn canonical_one(&self, id: Id, json: &Json) -> Result<Json, Wrong> {
        let answer = self.ask(&[(id, json.clone())])?;
        answer.into_iter().next().ok_or_else(|| format!("{json} is not understood").into())
    }

    /// The canonical form of a value if its type has it; remembered.
    pub(crate) fn trial(&self, id: Id, json: &Json) -> Option<Json> {
        let question = (id, json.to_string());
        if let Some(known) = self.scalars().known(&question) {
            return known;
        }
        let answer = self.canonical_one(id, json).ok();
        self.scalars().learn(question, answer.clone());
        answer
    }

    fn ask(&self, values: &[(Id, Json)]) -> Result<Vec<Json>, Wrong> {
        if values.is_empty() {
            return Ok(Vec::new());
        }
        let document = document(values);
        let answer = libyang::canonical(self.context(), &document).map_err(|heard| {
            let app_tag = heard.iter().find_map(|heard| heard.app_tag.clone());
            let first = heard.into_iter().next().map(|heard| heard.message).unwrap_or_default();
            let id = values.first().map_or(ROOT, |(id, _)| *id);
            Wrong { message: words(&first, &self.schema().node(id).module), app_tag }
        })?;
        let mut lists: BTreeMap<Id, std::vec::IntoIter<Json>> = BTreeMap::new();
        let next = |(id, _): &(Id, Json)| {
            let list = lists.entry(*id).or_insert_with(|| taken(&answer, *id).into_iter());
            list.next()
        };
        Ok(values.iter().filter_map(next).collect())
    }
}

/// The values as a document of our module.
fn document(values: &[(Id, Json)]) -> String {
    let mut shared: BTreeMap<String, BTreeMap<String, Vec<&Json>>> = BTreeMap::new();
    for (id, json) in values {
        let (outer, inner) = helper::place(*id);
        shared.entry(outer).or_default().entry(inner).or_default().push(json);
    }
    let list = |list: Vec<&Json>| {
        let list = list.into_iter().cloned().collect();
        Json::Object([(helper::VALUES.to_owned(), list)].into_iter().collect())
    };
    let inner = |inner: BTreeMap<String, Vec<&Json>>| {
        Json::Object(inner.into_iter().map(|(name, values)| (name, list(values))).collect())
    };
    Json::Object(shared.into_iter().map(|(name, lists)| (name, inner(lists))).collect()).to_string()
}

/// The values of one leaf in such a document.
fn taken(document: &Json, id: Id) -> Vec<Json> {
    let (outer, inner) = helper::place(id);
    let list = document.get(outer).and_then(|shared| shared.get(inner)?.get(helper::VALUES));
    list.and_then(Json::as_array).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::path::Path as FilePath;

    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::*;
    use crate::Options;

    fn lab() -> ModelSet {
        let path = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../models/lab");
        ModelSet::load(&Options { path, ..Options::default() }).unwrap()
    }

    fn id(set: &ModelSet, path: &str) -> Id {
        set.schema().find(&path.parse().unwrap()).unwrap()
    }

    #[test]
    fn what_is_taken_as_it_is_libyang_leaves_as_it_is() {
        let set = lab();
        let motd = id(&set, "/system/motd");
        proptest!(|(text in any::<String>())| {
            let json = Json::String(text);
            if set.is_as_it_is(motd, &json) {
                prop_assert_eq!(set.ask(&[(motd, json.clone())]), Ok(vec![json]));
            }
        });
        assert!(set.is_as_it_is(motd, &Json::from("hello")));
    }

    #[test]
    fn what_a_type_restricts_is_asked_about() {
        let set = lab();
        let (name, mtu) = (id(&set, "/system/hostname"), id(&set, "/interfaces/interface/mtu"));
        assert!(!set.is_as_it_is(name, &Json::from("leaf1")));
        assert!(!set.is_as_it_is(mtu, &Json::from("1500")));
        assert!(!set.is_as_it_is(id(&set, "/system/motd"), &Json::from(7)));
        assert!(!set.is_as_it_is(id(&set, "/system/motd"), &Json::from("\u{7}")));
    }
}
