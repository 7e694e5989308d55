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
use lockstep_types::{Edit, Target};
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
    let view = service.fresh.view().await?;
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
    let (models, before) = (&spec.models, view.visible(&spec.name));
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
    let updates =
        news.sets().filter(|(_, content)| !matches!(content, lockstep_types::Content::Entry));
    let updates = updates.filter_map(|(path, content)| {
        let value = encoding.unit(models, veil, path, content)?;
        Some((path.clone(), value))
    });
    let updates: Vec<_> = updates.collect();
    if updates.is_empty() && deletes.is_empty() {
        return Ok(None);
    }
    let prefix = Wire { target: spec.name.to_string(), ..Wire::default() };
    let told = get::told(Some(&prefix), "", updates, &deletes, now);
    told.map(Some).map_err(|error| refusal::path(&error))
}
