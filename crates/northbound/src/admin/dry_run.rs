//! What something would do. Nothing is written, and no device is asked.

use std::collections::BTreeMap;
use std::sync::Arc;

use lockstep_gnmi::proto::lockstep::v1::dry_run_request::Of;
use lockstep_gnmi::proto::lockstep::v1::{DryRunRequest, DryRunResponse, TargetChanges, Violation};
use lockstep_protocol::record::{Kind, Mode};
use lockstep_protocol::{Body, Request as Submission, View};
use lockstep_types::{Delta, Edit, Patch, Target};
use tonic::Status;
use tonic::metadata::MetadataMap;

use super::Service;
use super::changes::Changes;
use crate::access::Right;
use crate::gnmi::{self, place};
use crate::guard::Call;
use crate::teller::Teller;
use crate::{answers, refusal, text};

impl Service {
    pub(super) async fn tried(
        &self,
        call: &Call,
        asked: DryRunRequest,
    ) -> Result<DryRunResponse, Status> {
        call.note_detail("dry run");
        // Nobody waits for anything here.
        let metadata = MetadataMap::new();
        let body = match asked.of {
            Some(Of::Set(set)) => {
                let edits = gnmi::asked(&self.gnmi, call, set).await?;
                change(edits)
            }
            Some(Of::Rollback(asked)) => {
                let asked = self.rollback_of(&metadata, &asked)?;
                self.operable(call, asked, refusal::not_rolled_back).await?
            }
            Some(Of::Restore(asked)) => {
                let asked = self.restore_to(&metadata, &asked)?;
                self.operable(call, asked, refusal::refused).await?
            }
            None => {
                return Err(Status::invalid_argument(
                    "there is nothing to try: give a set, a rollback or a restore",
                ));
            }
        };
        let view = self.fresh.view(call).await?;
        let (service, caller) = (self.clone(), call.clone());
        let work = move || service.foreseen(&caller, &view, &body);
        let answer = self.gnmi.workers.run(work).await?;
        answers::fitting(answer, self.gnmi.message)
    }

    /// What a submission asks, if it is for this caller to ask that.
    async fn operable(
        &self,
        call: &Call,
        submission: Submission,
        refused: impl Fn(&lockstep_protocol::Refusal) -> Status,
    ) -> Result<Body, Status> {
        call.somewhere(Right::Operate)?;
        let concerned = self.concerned(call, &submission, &refused).await?;
        call.operates(&self.node, concerned.iter(), &submission.body.only)?;
        Ok(submission.body)
    }

    fn foreseen(
        &self,
        call: &Call,
        view: &Arc<View>,
        body: &Body,
    ) -> Result<DryRunResponse, Status> {
        let planned = match view.preview(body) {
            Ok(planned) => planned,
            Err(reason) => {
                let message = text::reason(&reason).1;
                let (target, path) = (String::new(), String::new());
                let violations = vec![Violation { target, path, message }];
                return Ok(DryRunResponse { changes: Vec::new(), violations });
            }
        };
        let mut answer = DryRunResponse::default();
        for (target, patch) in &planned {
            self.foresee(call, view, (target, patch), &mut answer)?;
        }
        Ok(answer)
    }

    /// What would become of one target.
    fn foresee(
        &self,
        call: &Call,
        view: &View,
        (target, patch): (&Target, &Patch),
        answer: &mut DryRunResponse,
    ) -> Result<(), Status> {
        let spec = place::target(&self.node, target)?;
        let veil = call.veil(&self.node, target);
        let standing = view.committed(target);
        let delta = patch.delta();
        let mut after = standing.clone();
        after.apply_values(&delta);
        let broken = match view.is_valid(target) {
            true => spec.models.validate_change(&standing, &delta),
            false => spec.models.validate(&after),
        };
        let teller = Teller::own(&self.node, call, view);
        answer.violations.extend(broken.into_iter().map(|found| {
            let found = teller.violation(&lockstep_protocol::record::Violation {
                target: target.clone(),
                message: found.message,
                path: found.path,
            });
            let (path, message) = (found.path.to_string(), found.message);
            Violation { target: target.to_string(), path, message }
        }));
        let before: Delta =
            delta.paths().map(|path| (path.clone(), standing.get(path).cloned())).collect();
        let changes = Changes { models: Some(&spec.models), veil: &veil }.written(&before, &delta);
        if !changes.is_empty() {
            answer.changes.push(TargetChanges { target: target.to_string(), changes });
        }
        Ok(())
    }
}

fn change(edits: BTreeMap<Target, Edit>) -> Body {
    Body {
        kind: Kind::Change,
        mode: Mode::Atomic,
        edits,
        only: std::collections::BTreeSet::new(),
        window: None,
        binding: None,
    }
}
