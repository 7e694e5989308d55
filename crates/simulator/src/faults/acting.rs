//! The faults that act on one request.

use std::time::Duration;

use lockstep_types::Path;
use tonic::Status;

use super::{Does, Fault, Feature, Rewrite};
use crate::journal::Kind;

/// What a request is, as far as faults are concerned.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// None: a kind that a fault cannot be for.
    pub(crate) kind: Option<Kind>,
    pub(crate) uses: Vec<Feature>,
    pub(crate) paths: Vec<Path>,
    pub(crate) deletes: bool,
}

/// What is done to one request.
#[derive(Debug, Default)]
pub(crate) struct Acting {
    pub(crate) delay: Option<Duration>,
    /// It hangs, until after this time or for as long as it is not released.
    pub(crate) hang: Option<Option<Duration>>,
    pub(crate) cut: Option<Cut>,
    /// It is answered so, instead of being done or (`lies`) although it is done.
    pub(crate) refuse: Option<Status>,
    pub(crate) lies: bool,
    /// It uses what the device does not have, and is turned away before anything else.
    pub(crate) lacks: Option<Status>,
    pub(crate) rewrites: Vec<(Vec<Path>, Rewrite)>,
    pub(crate) ignores: Vec<Feature>,
    /// The names of the faults.
    pub(crate) names: Vec<&'static str>,
}

/// How a connection ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    /// Once the request is done.
    pub(crate) after: bool,
    /// With the device, which keeps its configuration or not.
    pub(crate) restart: Option<bool>,
}

impl Asked {
    pub(crate) fn of(kind: Kind, uses: Vec<Feature>) -> Self {
        Self { kind: Some(kind), uses, ..Self::default() }
    }

    /// The first path that one of the patterns covers, or that is above one of them: who asks for
    /// all asks for each.
    pub(crate) fn touched(&self, patterns: &[Path]) -> Option<&Path> {
        let above = self.kind != Some(Kind::Set);
        self.paths.iter().find(|path| {
            patterns.iter().any(|pattern| pattern.covers(path) || (above && path.covers(pattern)))
        })
    }
}

impl Acting {
    /// Whether it is settled what the client will hear.
    pub(super) fn is_answered(&self) -> bool {
        self.refuse.is_some() || self.lacks.is_some() || self.hang.is_some() || self.cut.is_some()
    }

    pub(crate) fn ignores(&self, feature: Feature) -> bool {
        self.ignores.contains(&feature)
    }

    pub(super) fn add(&mut self, fault: &Fault, asked: &Asked) {
        self.names.push(fault.does.name());
        match &fault.does {
            Does::Refuse { code, message, after } => {
                let message = match (message.as_str(), asked.touched(&fault.on.paths)) {
                    ("", Some(path)) => format!("{path} is not to be touched"),
                    ("", None) => "refused on demand".to_owned(),
                    (message, _) => message.to_owned(),
                };
                self.refuse = Some(Status::new(*code, message));
                self.lies = *after;
            }
            Does::Delay(delay) => {
                self.delay = Some(self.delay.unwrap_or_default().saturating_add(*delay));
            }
            Does::Hang(after) => self.hang = Some(*after),
            Does::Drop { after } => self.cut = Some(Cut { after: *after, restart: None }),
            Does::Restart { after, keep } => {
                self.cut = Some(Cut { after: *after, restart: Some(*keep) });
            }
            Does::Rewrite(to) => self.rewrites.push((fault.on.paths.clone(), to.clone())),
            Does::Lack(feature) => {
                let message = format!("this device does not have {}", feature.name());
                self.lacks = Some(Status::unimplemented(message));
            }
            Does::Ignore(feature) => self.ignores.push(*feature),
            Does::Drift { .. } => {}
        }
    }
}
