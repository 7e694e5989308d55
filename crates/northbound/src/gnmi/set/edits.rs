//! What a Set asks of each target, in the words of its models. Plain work without waiting.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use lockstep_gnmi::extension::onos;
use lockstep_gnmi::proto::gnmi::SetRequest;
use lockstep_gnmi::set::{self, Kind as Op, Operation};
use lockstep_gnmi::value;
use lockstep_node::{Handle, TargetSpec};
use lockstep_types::{Edit, Target};
use lockstep_yang::{Data, DataForm};
use tonic::Status;

use super::permit::Permit;
use crate::access::Right;
use crate::gnmi::place;
use crate::guard::Call;
use crate::refusal;
use crate::veil::Veil;

/// The edits of a request; none: it has no operations.
pub(super) fn edits(
    node: &Handle,
    call: &Call,
    request: &SetRequest,
) -> Result<Option<BTreeMap<Target, Edit>>, Status> {
    let operations = set::read(request).map_err(|error| refusal::set(&error))?;
    if operations.is_empty() {
        return Ok(None);
    }
    let mut by_target: BTreeMap<Target, Vec<Operation>> = BTreeMap::new();
    for operation in operations {
        let target = operation.target.clone().ok_or_else(place::no_target)?;
        by_target.entry(target).or_default().push(operation);
    }
    let models = onos::models(&request.extension).map_err(|e| refusal::extension(&e))?;
    let edits = by_target.into_iter().map(|(target, operations)| {
        let extent = call.target(Right::Change, node, &target)?;
        let spec = place::target(node, &target)?;
        place::model(&spec, models.get(target.as_str()))?;
        let veil = call.veil(node, &target);
        let edit = edit(&spec, &veil, operations)?;
        let standing = OnceCell::new();
        Permit { node, call, target: &target, extent, veil, standing }.check(&edit)?;
        Ok((target, edit))
    });
    edits.collect::<Result<_, Status>>().map(Some)
}

fn edit(spec: &TargetSpec, veil: &Veil, operations: Vec<Operation>) -> Result<Edit, Status> {
    let mut asked = Vec::with_capacity(operations.len());
    for mut operation in operations {
        let origin = operation.origin.take();
        operation.path = place::in_origin(spec, origin.as_deref(), operation.path)?;
        asked.push(translate(operation)?);
    }
    spec.models.edit(&asked).map_err(|error| refusal::edit(&spec.name, veil, error))
}

fn translate(operation: Operation) -> Result<lockstep_yang::Operation, Status> {
    let Operation { kind, path, data, .. } = operation;
    if kind == Op::Delete {
        return Ok(lockstep_yang::Operation::Delete(path));
    }
    let (form, json) =
        data.ok_or_else(|| Status::invalid_argument(format!("{path} comes without a value")))?;
    let form = match form {
        value::Form::Json => DataForm::Json,
        value::Form::Ietf => DataForm::Ietf,
        value::Form::Scalar => DataForm::Scalar,
    };
    let data = Data { form, json };
    Ok(match kind {
        Op::Replace => lockstep_yang::Operation::Replace(path, data),
        _ => lockstep_yang::Operation::Update(path, data),
    })
}
