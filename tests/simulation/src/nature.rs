//! What a device is like, all its life.

use std::time::Duration;

use lockstep_model::system::Manner;
use lockstep_southbound::Fencing;
use lockstep_types::{Configuration as Tree, Content, Value};

use crate::chance::Chance;
use crate::device::{Fault, PATIENCE};

/// What a device can do and what it makes of what it is told.
#[derive(Clone, Copy, Debug)]
pub struct Nature {
    /// How it takes requests.
    pub manner: Manner,
    /// Whether it can try something out first.
    pub confirms: bool,
}

impl Nature {
    /// One of many: most turn away older masters, have commit-confirmed and write what they are told.
    #[must_use]
    pub fn of(chance: &Chance) -> Self {
        let (fences, rewrites) = (!chance.percent(25), chance.percent(20));
        let (wary, confirms) = (chance.percent(20), !chance.percent(30));
        Self { manner: Manner { fences, rewrites, wary }, confirms }
    }

    /// What the devices of a run are like, by name.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let Manner { fences, rewrites, wary } = self.manner;
        let each = [
            (!fences, "devices that honour no arbitration"),
            (rewrites, "devices that rewrite values"),
            (wary, "devices whose trial is in the way of a claim"),
            (!self.confirms, "devices without commit-confirmed"),
        ];
        each.into_iter().filter_map(|(is, name)| is.then_some(name))
    }

    /// Who turns away an older master.
    #[must_use]
    pub fn fencing(self) -> Fencing {
        if self.manner.fences { Fencing::Device } else { Fencing::StoreOnly }
    }

    /// Nobody can call off what is on its way to a device that honours no arbitration: the next master waits for as long
    /// as a device is waited for, and what comes later than that nothing is promised about.
    #[must_use]
    pub fn bears(self, fault: Fault) -> Fault {
        match fault {
            Fault::Late(time) if !self.manner.fences => Fault::Late(time.min(PATIENCE - MARGIN)),
            fault => fault,
        }
    }

    /// Whether it holds what is wanted of it, in a form of its own where it has one.
    #[must_use]
    pub fn is_in_line(self, holds: &Tree, wanted: &Tree) -> bool {
        if self.manner.rewrites {
            upper(holds).same_values(&upper(wanted))
        } else {
            holds.same_values(wanted)
        }
    }
}

/// The natures there are. All of them are met in a run of many seeds.
pub const ALL: [&str; 4] = [
    "devices that honour no arbitration",
    "devices that rewrite values",
    "devices whose trial is in the way of a claim",
    "devices without commit-confirmed",
];

/// What a request may take on its way, besides.
const MARGIN: Duration = Duration::from_millis(100);

/// The same with every text in capitals, as such a device writes it.
fn upper(tree: &Tree) -> Tree {
    let mut found = tree.clone();
    for (path, unit) in tree.units() {
        if let Some(Content::Leaf(Value::String(text))) = &unit.content {
            let mut unit = unit.clone();
            unit.content = Some(Content::leaf(text.to_uppercase()));
            found.assign(path.clone(), unit);
        }
    }
    found
}
