//! What a Get finds on one target, path by path.

use std::collections::BTreeMap;

use lockstep_gnmi::proto::gnmi::TypedValue;
use lockstep_gnmi::proto::gnmi::get_request::DataType;
use lockstep_gnmi::value;
use lockstep_node::{Look, Seen, TargetSpec};
use lockstep_types::{Configuration, Content, Path};
use lockstep_yang::{Fate, Form, Located, ModelSet};
use serde_json::Value;
use tonic::Status;

use super::{Question, unasked};
use crate::gnmi::encoding::Encoding;
use crate::gnmi::filter::Filter;
use crate::refusal;
use crate::veil::{MASK, Veil};
use crate::workers::FEW;

/// Text of no more bytes is written in microseconds.
const SHORT: usize = 4096;

/// What is there, by concrete paths.
#[derive(Debug)]
pub(super) enum Found {
    /// Whole subtrees, written down already: most are given out as they are.
    Text(BTreeMap<Path, String>),
    /// Whole subtrees, to be looked into.
    Json(BTreeMap<Path, Value>),
    /// Leaf by leaf, as PROTO has no subtrees.
    Leaves(BTreeMap<Path, Content>),
}

impl Found {
    /// What a configuration has at a path.
    pub(super) fn of(
        question: &Question,
        spec: &TargetSpec,
        tree: &Configuration,
        located: &Located,
    ) -> Result<Self, Status> {
        let (models, path) = (&spec.models, located.path());
        let found = match question.encoding {
            Encoding::Json(_) => {
                let values = models.get_text(tree, located, &question.show);
                Ok(Self::Text(values.into_iter().collect()))
            }
            Encoding::Proto => models.leaves(tree, path).and_then(|leaves| {
                let filter = filter(question, models, path)?;
                let wanted = |(path, _): &(Path, Content)| filter.wants(models, path);
                Ok(Self::Leaves(leaves.into_iter().filter(wanted).collect()))
            }),
        };
        found.map_err(|error| refusal::get_path(&error))
    }

    pub(super) fn nothing(encoding: Encoding) -> Self {
        match encoding {
            Encoding::Json(_) => Self::Text(BTreeMap::new()),
            Encoding::Proto => Self::Leaves(BTreeMap::new()),
        }
    }

    /// What somebody may see of it. Leaves are masked as they are written.
    pub(super) fn veiled(self, models: &ModelSet, veil: &Veil) -> Self {
        match self {
            Self::Text(texts) => Self::Json(read(texts)).veiled(models, veil),
            Self::Json(values) => {
                let mask = Value::from(MASK);
                let prune = |(path, json): (Path, Value)| {
                    let json = models.prune(&path, json, &mask, &|at| veil.fate(at))?;
                    Some((path, json))
                };
                Self::Json(values.into_iter().filter_map(prune).collect())
            }
            Self::Leaves(mut leaves) => {
                leaves.retain(|path, _| veil.fate(path) != Fate::Drop);
                Self::Leaves(leaves)
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Text(values) => values.is_empty(),
            Self::Json(values) => values.is_empty(),
            Self::Leaves(leaves) => leaves.is_empty(),
        }
    }

    /// Whether all of it is written sooner than it is handed to another thread. What has been looked into may be of any size.
    pub(super) fn is_little(&self) -> bool {
        match self {
            Self::Text(values) => values.values().map(String::len).sum::<usize>() <= SHORT,
            Self::Json(_) => false,
            Self::Leaves(leaves) => leaves.len() <= FEW,
        }
    }

    pub(super) fn into_values(
        self,
        models: &ModelSet,
        encoding: Encoding,
        veil: &Veil,
    ) -> Vec<(Path, TypedValue)> {
        let ietf = encoding == Encoding::Json(Form::Ietf);
        match self {
            Self::Text(values) => {
                let typed = |(path, text)| (path, value::written(text, ietf));
                values.into_iter().map(typed).collect()
            }
            Self::Json(values) => {
                let typed = |(path, json)| (path, value::json(&json, ietf));
                values.into_iter().map(typed).collect()
            }
            Self::Leaves(leaves) => {
                let typed = |(path, content): (Path, Content)| {
                    let value = encoding.unit(models, veil, &path, &content)?;
                    Some((path, value))
                };
                leaves.into_iter().filter_map(typed).collect()
            }
        }
    }

    /// Asks the device for its state, and lays that over what is here.
    pub(super) async fn with_state(
        self,
        question: &std::sync::Arc<Question>,
        spec: &TargetSpec,
        place: &Path,
    ) -> Result<Self, Status> {
        let seen = match question.kind {
            DataType::Operational => Seen::Operational,
            _ => Seen::State,
        };
        let ietf = question.show.form == Form::Ietf;
        let look = Look { path: place.clone(), seen, ietf };
        let reports = question.node.look(&spec.name, look).await;
        let reports = reports.map_err(|error| unasked(&spec.name, &error))?;
        let (models, asked, place) =
            (spec.models.clone(), std::sync::Arc::clone(question), place.clone());
        question.workers.run(move || self.laid_over(&asked, &models, &place, reports)).await
    }

    /// With what a device reports. What the models do not know is not passed on.
    fn laid_over(
        mut self,
        question: &Question,
        models: &ModelSet,
        place: &Path,
        reports: Vec<(Path, Value)>,
    ) -> Result<Self, Status> {
        let filter = filter(question, models, place).map_err(|error| refusal::get_path(&error))?;
        match self {
            Self::Text(texts) => {
                return Self::Json(read(texts)).laid_over(question, models, place, reports);
            }
            Self::Json(ref mut values) => {
                for (path, state) in reports {
                    let (before, show) = (values.remove(&path), question.show.clone());
                    let after = models.overlay(&path, before, &state, show).unwrap_or_default();
                    values.extend(after.map(|after| (path, after)));
                }
            }
            Self::Leaves(ref mut leaves) => {
                for (path, state) in reports {
                    let state = models.state_leaves(&path, &state).into_iter();
                    leaves.extend(state.filter(|(path, _)| filter.wants(models, path)));
                }
            }
        }
        Ok(self)
    }
}

/// Texts, to be looked into. What was written here can be read.
fn read(texts: BTreeMap<Path, String>) -> BTreeMap<Path, Value> {
    texts.into_iter().map(|(path, text)| (path, text.parse().unwrap_or_default())).collect()
}

fn filter(
    question: &Question,
    models: &ModelSet,
    path: &Path,
) -> Result<Filter, lockstep_yang::PathError> {
    let path = models.canonical_path(path)?;
    Ok(Filter { path, depth: question.show.depth, modules: question.show.modules.clone() })
}
