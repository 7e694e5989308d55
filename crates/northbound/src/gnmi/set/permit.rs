//! Whether somebody may change what a Set changes.
//!
//! Everything that is cleared has to be theirs to change as a whole, whatever stands there: so it does not
//! matter what is committed between now and the decision. What is set has to be theirs, too, but for what
//! comes with it: the entries and presence containers above a leaf, as far as they are there already.

use std::cell::OnceCell;
use std::sync::Arc;

use lockstep_gnmi::path as paths;
use lockstep_gnmi::proto::gnmi::SetRequest;
use lockstep_node::{Handle, TargetSpec};
use lockstep_types::{Addition, Configuration, Content, Edit, Path, Target, Value};
use tonic::Status;

use crate::access::{Extent, Right};
use crate::gnmi::masters::Scope;
use crate::gnmi::place;
use crate::guard::Call;
use crate::refusal;
use crate::veil::{MASK, Veil};

/// Whether any Set at all may be asked for. To end a commit takes what it says there.
pub(super) fn any(call: &Call, request: &SetRequest) -> Result<(), Status> {
    let is_empty =
        request.delete.is_empty() && request.replace.is_empty() && request.update.is_empty();
    match is_empty && call.has(Right::Operate) {
        true => Ok(()),
        false => call.somewhere(Right::Change),
    }
}

/// Where a Set without operations claims to be the only one to write: on the target of its prefix, otherwise
/// wherever its caller may write.
pub(super) fn claimed(node: &Handle, call: &Call, request: &SetRequest) -> Result<Scope, Status> {
    let target = paths::target(request.prefix.as_ref(), &Default::default());
    if let Some(target) = target.map_err(|error| refusal::path(&error))? {
        call.target(Right::Change, node, &target)?;
        place::target(node, &target)?;
        return Ok(Scope::Targets([target].into()));
    }
    if call.has_everywhere(Right::Change) {
        return Ok(Scope::Everywhere);
    }
    let may = |spec: &Arc<TargetSpec>| !call.extent(Right::Change, node, &spec.name).is_nowhere();
    let targets = node.targets().into_iter().filter(may).map(|spec| spec.name.clone());
    Ok(Scope::Targets(targets.collect()))
}

/// What may be changed of one target.
pub(super) struct Permit<'a> {
    pub(super) node: &'a Handle,
    pub(super) call: &'a Call,
    pub(super) target: &'a Target,
    pub(super) extent: Extent,
    pub(super) veil: Veil,
    /// What stands on it, once somebody has looked.
    pub(super) standing: OnceCell<Configuration>,
}

impl Permit<'_> {
    /// Refuses an edit that changes what may not be.
    pub(super) fn check(&self, edit: &Edit) -> Result<(), Status> {
        for path in edit.clear.iter().chain(edit.set.keys()).chain(edit.add.keys()) {
            self.call.note(self.target, Some(path));
        }
        self.refuse_masks(edit)?;
        if self.extent == Extent::Whole {
            return Ok(());
        }
        let cleared = edit.clear.iter().cloned();
        let set = edit.set.iter().filter(|(path, content)| !self.is_there(path, content));
        let set = set.map(|(path, _)| path.clone());
        let added = edit.add.iter().flat_map(|(path, addition)| self.added(path, addition));
        let mut all = cleared.chain(set).chain(added);
        match all.find(|path| !self.extent.covers(path)) {
            None => Ok(()),
            Some(path) => Err(self.call.denied_at(Right::Change, self.target, &path)),
        }
    }

    /// Whether what comes with a leaf is there already. Never asked of a leaf: the answer would tell its
    /// value.
    fn is_there(&self, path: &Path, content: &Content) -> bool {
        matches!(content, Content::Entry | Content::Presence)
            && self.standing().get(path) == Some(content)
    }

    fn standing(&self) -> &Configuration {
        self.standing.get_or_init(|| self.node.view().visible(self.target))
    }

    /// Where an addition changes something: a new entry of a list is changed at the entry, not at the list.
    fn added(&self, path: &Path, addition: &Addition) -> Vec<Path> {
        match addition {
            Addition::Values { .. } => vec![path.clone()],
            Addition::Entries(entries) => {
                let entries = entries.iter().filter_map(|keys| path.entry(keys));
                entries.filter(|entry| !self.is_there(entry, &Content::Entry)).collect()
            }
        }
    }

    /// What is shown in place of a secret is not one.
    fn refuse_masks(&self, edit: &Edit) -> Result<(), Status> {
        let mask = Value::string(MASK);
        let is_mask = |content: &Content| match content {
            Content::Leaf(value) => *value == mask,
            Content::LeafList(values) => values.contains(&mask),
            _ => false,
        };
        let added = |addition: &Addition| match addition {
            Addition::Values { values, .. } => values.contains(&mask),
            Addition::Entries(_) => false,
        };
        let set = edit.set.iter().filter(|(_, content)| is_mask(content)).map(|(path, _)| path);
        let add = edit.add.iter().filter(|(_, one)| added(one)).map(|(path, _)| path);
        match set.chain(add).find(|path| self.veil.is_secret(path)) {
            None => Ok(()),
            Some(path) => Err(Status::invalid_argument(format!(
                "target {}: {path}: {MASK} is shown in place of a secret, and is no value of one; leave it out",
                self.target
            ))),
        }
    }
}
