//! What a device does wrong on demand.
//!
//! A [`Fault`] is something a device does ([`Does`]) to some requests ([`On`]), for ever or so many
//! times. A device has a [`Plan`] of them; all that match a request act on it together, and of those
//! that answer it the first counts.

mod acting;
mod parse;
mod plan;
mod rewrite;

use std::time::Duration;

use lockstep_types::Path;
use serde_json::Value as Json;
use tonic::Code;

pub(crate) use acting::{Acting, Asked, Cut};
pub use parse::{Unreadable, duration, from_yaml};
pub(crate) use plan::Drift;
pub use plan::Plan;
pub use rewrite::Rewrite;

use crate::journal::Kind;

/// One thing that a device does wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// To which requests.
    pub on: On,
    /// What.
    pub does: Does,
    /// To so many of them, then it is over. None: until the device is healed.
    pub times: Option<u32>,
}

/// Which requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct On {
    /// Of these kinds. None: Sets with operations; for [`Does::Lack`] and [`Does::Ignore`], all that
    /// use the feature.
    pub kinds: Vec<Kind>,
    /// That touch what one of these covers. None: whatever they touch.
    pub paths: Vec<Path>,
    /// That take something away.
    pub deletes: bool,
}

/// What a device does to a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Does {
    /// Answers with an error.
    Refuse {
        /// The code of the answer.
        code: Code,
        /// What it says; empty: a sentence with the path.
        message: String,
        /// It does what was asked all the same, and only says that it did not.
        after: bool,
    },
    /// Waits before it works on the request. A Set is carried out even if its client gave up.
    Delay(Duration),
    /// Never answers, and works on the request after this time, or when the device is told to release
    /// it ([`Device::release`](crate::Device::release)). It is held to everything that a request is
    /// held to which comes in then: a smaller election id is turned away.
    Hang(Option<Duration>),
    /// Drops the connection, and all that is under way on it.
    Drop {
        /// After it did what was asked, instead of before.
        after: bool,
    },
    /// Restarts.
    Restart {
        /// After it did what was asked, instead of before.
        after: bool,
        /// With its configuration.
        keep: bool,
    },
    /// Accepts the values a Set has at the paths, and holds others.
    Rewrite(Rewrite),
    /// Has no such feature, and answers UNIMPLEMENTED to requests that use it.
    Lack(Feature),
    /// Behaves as if requests did not use the feature. Only for arbitration and commit-confirmed.
    Ignore(Feature),
    /// Puts the paths to a value behind the back of all clients, again and again. Which requests is of
    /// no matter.
    Drift {
        /// The value; none: it deletes them.
        value: Option<Json>,
        /// How often.
        every: Duration,
    },
}

/// What a device may not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Capabilities.
    Capabilities,
    /// Get.
    Get,
    /// Subscribe.
    Subscribe,
    /// A subscription to changes, in place of samples or of what stands.
    OnChange,
    /// Master arbitration.
    Arbitration,
    /// Master arbitration with a role that has a name.
    Role,
    /// Commit-confirmed.
    Commit,
    /// The extension that limits the depth of an answer.
    Depth,
}

/// Refusals of Sets, which are all the faults that many tests need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Sets to refuse; the first that matches counts.
    pub refuse: Vec<Refusal>,
}

/// A Set that touches what a pattern covers is refused, and changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What must not be touched: this subtree, or all that a pattern stands for.
    pub pattern: Path,
    /// The code of the answer.
    pub code: Code,
    /// What the device says; empty: a sentence with the path.
    pub message: String,
}

impl Refusal {
    /// A refusal with a code and words of its own choice.
    pub fn of(pattern: Path) -> Self {
        Self { pattern, code: Code::FailedPrecondition, message: String::new() }
    }
}

impl Does {
    /// To all requests of the usual kinds.
    pub fn always(self) -> Fault {
        Fault { on: On::default(), does: self, times: None }
    }

    /// To the next one only.
    pub fn once(self) -> Fault {
        self.always().times(1)
    }

    /// Its name, as commands and files have it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Refuse { .. } => "refuse",
            Self::Delay(_) => "delay",
            Self::Hang(_) => "hang",
            Self::Drop { .. } => "drop",
            Self::Restart { .. } => "restart",
            Self::Rewrite(_) => "rewrite",
            Self::Lack(_) => "lack",
            Self::Ignore(_) => "ignore",
            Self::Drift { .. } => "drift",
        }
    }
}

impl Fault {
    /// The same for requests of these kinds.
    pub fn on(mut self, kinds: impl IntoIterator<Item = Kind>) -> Self {
        self.on.kinds.extend(kinds);
        self
    }

    /// The same for requests that touch this, or what this covers.
    pub fn at(mut self, path: Path) -> Self {
        self.on.paths.push(path);
        self
    }

    /// The same for Sets that take something away.
    pub fn deletes(mut self) -> Self {
        self.on.deletes = true;
        self
    }

    /// The same for so many requests.
    pub fn times(self, times: u32) -> Self {
        Self { times: Some(times), ..self }
    }
}

impl Feature {
    const NAMES: [(Self, &'static str); 8] = [
        (Self::Capabilities, "capabilities"),
        (Self::Get, "get"),
        (Self::Subscribe, "subscribe"),
        (Self::OnChange, "on-change"),
        (Self::Arbitration, "arbitration"),
        (Self::Role, "role"),
        (Self::Commit, "commit-confirmed"),
        (Self::Depth, "depth"),
    ];

    /// The feature with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(feature, _)| *feature)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(feature, _)| *feature == self).map_or("", |(_, name)| name)
    }
}
