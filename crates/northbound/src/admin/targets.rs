//! Targets that come, are bound anew and go, as operators ask for it.

use std::collections::BTreeMap;

use lockstep_gnmi::proto::lockstep::v1::{
    self, AddTargetRequest, AddTargetResponse, RemoveTargetRequest, RemoveTargetResponse,
    SetTargetRequest, SetTargetResponse,
};
use lockstep_protocol::record::{Binding, Kind, Mode};
use lockstep_protocol::{Body, Refusal, Request as Submission, Until};
use lockstep_types::Target;
use prost_types::value::Kind as Given;
use prost_types::{Duration, Struct};
use serde_json::{Map, Number, Value};
use tonic::metadata::MetadataMap;
use tonic::{Request, Status};

use super::{Service, show, target_name};
use crate::access::Right;
use crate::comment;
use crate::deadline::times;
use crate::directory::Unbound;
use crate::guard::Call;
use crate::refusal;
use crate::teller::Teller;

/// Options that leave it to where it was what is sent where, and who may see it.
const KEPT: [&str; 10] = [
    "timeout",
    "model",
    "sync",
    "drift",
    "drift-interval",
    "initial",
    "ignore",
    "encoding",
    "role",
    "commit-confirmed",
];

/// What goes with every one of them.
struct Asked<'a> {
    metadata: &'a MetadataMap,
    id: &'a str,
    comment: &'a str,
    deadline: Option<&'a Duration>,
}

impl Service {
    /// Whoever says how a device is reached says where its credentials and its configuration go, and by its
    /// tags who may do what: that is for those who operate everything, and may read the secrets of this one.
    pub(super) async fn added(
        &self,
        call: &Call,
        request: Request<AddTargetRequest>,
    ) -> Result<AddTargetResponse, Status> {
        let (metadata, _, asked) = request.into_parts();
        let target = target_name(&asked.name)?;
        call.note(&target, None);
        call.directs(&self.node, &target)?;
        let binding = self.directory.bind(&target, None, options(asked.options));
        let binding = binding.map_err(|wrong| unbound(&target, &wrong))?;
        if asked.dry_run {
            call.note_detail("dry run");
            return match self.fresh.view(call).await?.binding(&target) {
                Some(_) => Err(refusal::refused(&Refusal::TargetExists(target))),
                None => Ok(AddTargetResponse::default()),
            };
        }
        let (id, comment, deadline) = (&asked.id, &asked.comment, asked.deadline.as_ref());
        let asked = Asked { metadata: &metadata, id, comment, deadline };
        let transaction = self.of_target(call, Kind::Add, &target, Some(binding), &asked).await?;
        Ok(AddTargetResponse { transaction, target: self.shown_target(call, &target) })
    }

    pub(super) async fn bound_anew(
        &self,
        call: &Call,
        request: Request<SetTargetRequest>,
    ) -> Result<SetTargetResponse, Status> {
        let (metadata, _, asked) = request.into_parts();
        let target = target_name(&asked.name)?;
        call.note(&target, None);
        let options = options(asked.options);
        match options.keys().all(|key| KEPT.contains(&key.as_str())) {
            true => call.everywhere(Right::Operate)?,
            false => call.directs(&self.node, &target)?,
        }
        let bound = self.bound(call, &target).await?;
        if options.is_empty() {
            return Err(Status::invalid_argument("there is nothing to change: give some options"));
        }
        call.note_detail(&options.keys().cloned().collect::<Vec<_>>().join(", "));
        let binding = self.directory.bind(&target, Some(&bound), options);
        let binding = binding.map_err(|wrong| unbound(&target, &wrong))?;
        let (id, comment, deadline) = (&asked.id, &asked.comment, asked.deadline.as_ref());
        let asked = Asked { metadata: &metadata, id, comment, deadline };
        let transaction =
            self.of_target(call, Kind::Rebind, &target, Some(binding), &asked).await?;
        Ok(SetTargetResponse { transaction, target: self.shown_target(call, &target) })
    }

    pub(super) async fn removed(
        &self,
        call: &Call,
        request: Request<RemoveTargetRequest>,
    ) -> Result<RemoveTargetResponse, Status> {
        let (metadata, _, asked) = request.into_parts();
        let target = target_name(&asked.name)?;
        call.whole(Right::Operate, &self.node, &target)?;
        // Asked again under the same id, it may well be gone.
        if !self.is_known(&asked.id)? {
            self.bound(call, &target).await?;
        }
        let (id, comment, deadline) = (&asked.id, &asked.comment, asked.deadline.as_ref());
        let asked = Asked { metadata: &metadata, id, comment, deadline };
        let transaction = self.of_target(call, Kind::Remove, &target, None, &asked).await?;
        Ok(RemoveTargetResponse { transaction })
    }

    /// How a target stands, to whoever had something done with it; none: there is no such target.
    pub(super) fn shown_target(&self, call: &Call, target: &Target) -> Option<v1::Target> {
        let status = self.node.status(target)?;
        let view = self.node.view();
        Some(show::target(&Teller::own(&self.node, call, &view), status))
    }

    /// What a target is bound to, if it is for operators to change that.
    async fn bound(&self, call: &Call, target: &Target) -> Result<Binding, Status> {
        let view = self.fresh.view(call).await?;
        let bound = view.binding(target).cloned();
        let bound =
            bound.ok_or_else(|| refusal::refused(&Refusal::UnknownTarget(target.clone())))?;
        let master = view.master(target).and_then(|master| view.node(master.session.as_ref()?));
        let may = self.directory.may_change(target, &bound, master);
        may.map_err(|wrong| unbound(target, &wrong))?;
        Ok(bound)
    }

    /// Whether a client's id names a transaction.
    fn is_known(&self, id: &str) -> Result<bool, Status> {
        Ok(!id.is_empty() && self.node.view().named(&self.ids.of(id)?).is_some())
    }

    async fn of_target(
        &self,
        call: &Call,
        kind: Kind,
        target: &Target,
        binding: Option<Binding>,
        asked: &Asked<'_>,
    ) -> Result<Option<v1::Transaction>, Status> {
        let wait = refusal::duration(asked.deadline)?;
        let times = times(self.node.now(), wait, asked.metadata, Mode::Atomic);
        let submission = Submission {
            id: self.ids.of(asked.id)?,
            body: Body {
                kind,
                mode: Mode::Atomic,
                edits: BTreeMap::new(),
                only: [target.clone()].into(),
                window: None,
                binding: binding.map(Box::new),
            },
            until: Until::Outcome,
            deadline: times.deadline,
            answer_by: Some(times.answer_by),
            author: String::new(),
            comment: comment::checked(asked.comment)?,
        };
        self.carried_out(call, submission, refusal::refused).await
    }
}

fn unbound(target: &Target, wrong: &Unbound) -> Status {
    let message = format!("target {target}: {wrong}");
    match wrong {
        Unbound::Wrong(_) => Status::invalid_argument(message),
        Unbound::NotYours(_) => Status::failed_precondition(message),
    }
}

fn options(given: Option<Struct>) -> Map<String, Value> {
    let fields = given.unwrap_or_default().fields.into_iter();
    fields.map(|(key, value)| (key, json(value))).collect()
}

/// The other way round.
pub(crate) fn structure(given: Map<String, Value>) -> Struct {
    let fields = given.into_iter().map(|(key, value)| (key, wire(value)));
    Struct { fields: fields.collect() }
}

fn wire(given: Value) -> prost_types::Value {
    let kind = match given {
        Value::Null => Given::NullValue(0),
        Value::Bool(truth) => Given::BoolValue(truth),
        Value::String(text) => Given::StringValue(text),
        Value::Number(number) => Given::NumberValue(number.as_f64().unwrap_or_default()),
        Value::Array(values) => Given::ListValue(prost_types::ListValue {
            values: values.into_iter().map(wire).collect(),
        }),
        Value::Object(map) => Given::StructValue(structure(map)),
    };
    prost_types::Value { kind: Some(kind) }
}

fn json(given: prost_types::Value) -> Value {
    match given.kind {
        None | Some(Given::NullValue(_)) => Value::Null,
        Some(Given::BoolValue(truth)) => truth.into(),
        Some(Given::StringValue(text)) => text.into(),
        Some(Given::NumberValue(number)) => self::number(number),
        Some(Given::ListValue(list)) => list.values.into_iter().map(json).collect(),
        Some(Given::StructValue(map)) => Value::Object(options(Some(map))),
    }
}

/// On the wire every number has a fraction; most are whole.
fn number(given: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "it is whole, and small enough")]
    let whole = (given.fract() == 0.0 && given.abs() <= EXACT).then_some(given as i64);
    whole.map_or_else(|| Number::from_f64(given).map_or(Value::Null, Value::Number), Value::from)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_whole_where_they_can_be() {
        assert_eq!(number(10.0), json!(10));
        assert_eq!(number(-1.5), json!(-1.5));
        assert_eq!(number(1e300), json!(1e300));
        assert_eq!(number(f64::NAN), Value::Null);
    }
}
