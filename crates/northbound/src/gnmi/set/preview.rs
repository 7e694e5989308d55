//! A dry run: what a Set would change, and whether it would be valid. Nothing is written, and no device is
//! asked.

use std::collections::BTreeMap;
use std::sync::Arc;

use lockstep_gnmi::proto::gnmi::{Notification, Path as Wire, SetRequest, SetResponse};
use lockstep_gnmi::proto::lockstep::v1::Preview;
use lockstep_gnmi::{extension, get, set};
use lockstep_node::TargetSpec;
use lockstep_protocol::View;
use lockstep_protocol::record::{Reason, Violation};
use lockstep_types::{Addition, Content, Edit, Path, Target};
use lockstep_yang::Form;
use tonic::Status;

use crate::gnmi::encoding::Encoding;
use crate::gnmi::{Service, place};
use crate::guard::Call;
use crate::veil::Veil;
use crate::{refusal, text};

pub(super) async fn preview(
    service: &Service,
    call: &Call,
    request: &Arc<SetRequest>,
    edits: BTreeMap<Target, Edit>,
) -> Result<SetResponse, Status> {
    let view = service.fresh.view(call).await?;
    let (node, request, call) = (service.node.clone(), Arc::clone(request), call.clone());
    let now = i64::try_from(node.now().get()).unwrap_or(i64::MAX);
    let work = move || {
        let (mut changes, mut violations) = (Vec::new(), Vec::new());
        for (target, edit) in &edits {
            let spec = place::target(&node, target)?;
            let veil = call.veil(&node, target);
            let found = change(&view, &spec, &veil, edit, now, &mut violations)?;
            changes.extend(found);
        }
        if !violations.is_empty() {
            let (code, words) = text::reason(&Reason::Invalid(violations));
            return Err(Status::new(code, format!("dry run: {words}")));
        }
        let preview = extension::with_preview(&Preview { changes });
        Ok(SetResponse { extension: vec![preview], ..set::response(&request, now) })
    };
    service.workers.run(work).await
}

/// What would change on one target; none: nothing.
fn change(
    view: &View,
    spec: &TargetSpec,
    veil: &Veil,
    edit: &Edit,
    now: i64,
    violations: &mut Vec<Violation>,
) -> Result<Option<Notification>, Status> {
    // What it would be decided on, as for the dry run of anything else.
    let (models, before) = (&spec.models, view.committed(&spec.name));
    let delta = edit.onto(&before);
    let mut after = before.clone();
    after.apply_values(&delta);
    let broken = match view.is_valid(&spec.name) {
        true => models.validate_change(&before, &delta),
        false => models.validate(&after),
    };
    violations.extend(broken.into_iter().map(|found| Violation {
        target: spec.name.clone(),
        message: veil.words(&found.path, found.message),
        path: found.path,
    }));
    let news = models.changes(&before, &after, delta.paths());
    let deletes = news.removals().into_iter().filter(|path| veil.meets(path));
    let deletes: Vec<_> = deletes.cloned().collect();
    let encoding = Encoding::Json(Form::Ietf);
    let updates = news.sets().filter(|(_, content)| !matches!(content, Content::Entry));
    let updates = updates.map(|(path, content)| (path.clone(), content.clone()));
    let updates = updates.chain(hidden(edit, veil)).filter_map(|(path, content)| {
        let value = encoding.unit(models, veil, &path, &content)?;
        Some((path, value))
    });
    // Once each, in the order of the paths, so that the order does not tell what differs.
    let updates: BTreeMap<_, _> = updates.collect();
    let updates: Vec<_> = updates.into_iter().collect();
    if updates.is_empty() && deletes.is_empty() {
        return Ok(None);
    }
    let prefix = Wire { target: spec.name.to_string(), ..Wire::default() };
    let told = get::told(Some(&prefix), "", updates, &deletes, now);
    told.map(Some).map_err(|error| refusal::path(&error))
}

/// What is set where a secret is that somebody may not see: it is told of whether it differs or not, or
/// guesses could be tried out.
fn hidden<'a>(edit: &'a Edit, veil: &'a Veil) -> impl Iterator<Item = (Path, Content)> + 'a {
    let set = edit.set.iter().map(|(path, content)| (path.clone(), content.clone()));
    let set = set.filter(|(_, content)| !matches!(content, Content::Entry));
    let add = edit.add.iter().map(|(path, addition)| {
        let content = match addition {
            Addition::Values { values, .. } => Content::LeafList(values.as_slice().into()),
            Addition::Entries(entries) => Content::Order(entries.as_slice().into()),
        };
        (path.clone(), content)
    });
    set.chain(add).filter(|(path, _)| veil.hides(path))
}

#[cfg(test)]
mod tests {
    use lockstep_types::Value;

    use super::*;
    use crate::access::Extent;

    #[test]
    fn what_is_added_to_a_secret_is_told_of_as_what_is_set_there() {
        let at = |text: &str| -> Path { text.parse().unwrap() };
        let secrets = Arc::new(["/**/key".parse().unwrap()]);
        let values = vec![Value::string("guess")];
        let mut edit = Edit::default();
        edit.set.insert(at("/a/key"), Content::leaf("guess"));
        edit.set.insert(at("/a/name"), Content::leaf("plain"));
        edit.add.insert(at("/b/key"), Addition::Values { values, sorted: false });
        let told = |veil: &Veil| hidden(&edit, veil).map(|(path, _)| path).collect::<Vec<_>>();
        let none = Extent::Paths(Vec::new());
        let blind = Veil::new(Extent::Whole, none, secrets.clone());
        assert_eq!(told(&blind), [at("/a/key"), at("/b/key")]);
        assert!(told(&Veil::new(Extent::Whole, Extent::Whole, secrets)).is_empty());
    }
}
