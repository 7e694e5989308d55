//! What models cost: loading them, and the verdict on a change as the configuration grows.
//!
//! With `LOCKSTEP_OPENCONFIG` naming a folder of OpenConfig's modules it is those, otherwise the small
//! device that comes with Lockstep.

pub(crate) mod memory;

use std::path::PathBuf;
use std::time::Instant;

use lockstep_types::{Configuration, Content, Delta, Path};
use lockstep_yang::{Data, DataForm, Form, ModelSet, Operation, Options};
use serde_json::{Value, json};

use crate::measure::{Row, sizes};

const SIZES: [usize; 3] = [10, 1_000, 10_000];

/// Models with interfaces, and how theirs look.
pub(crate) struct Subject {
    pub(crate) models: ModelSet,
    loaded: f64,
    /// Bytes; none where that is not told.
    taken: Option<f64>,
    openconfig: bool,
}

#[expect(clippy::expect_used, reason = "models that are known to load")]
pub(crate) fn load() -> Subject {
    let folder = std::env::var_os("LOCKSTEP_OPENCONFIG").map(PathBuf::from);
    let openconfig = folder.is_some();
    let lab = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../models/lab");
    let modules = [
        "iana-if-type",
        "openconfig-interfaces",
        "openconfig-if-ip",
        "openconfig-if-ethernet",
        "openconfig-if-aggregate",
        "openconfig-vlan",
        "openconfig-network-instance",
        "openconfig-network-instance-types",
        "openconfig-acl",
        "openconfig-system",
        "openconfig-platform",
    ];
    let modules = if openconfig { modules.map(str::to_owned).to_vec() } else { Vec::new() };
    let options = Options { path: folder.unwrap_or(lab), modules, ..Options::default() };
    let (before, start) = (memory::held(), Instant::now());
    let models = ModelSet::load(&options).expect("models");
    let loaded = nanoseconds(start);
    let taken = memory::held().zip(before).map(|(after, before)| after - before);
    Subject { models, loaded, taken, openconfig }
}

#[expect(clippy::cast_precision_loss, reason = "a measurement")]
fn nanoseconds(start: Instant) -> f64 {
    start.elapsed().as_nanos() as f64
}

#[expect(clippy::expect_used, reason = "paths made here")]
pub(crate) fn path(text: &str) -> Path {
    text.parse().expect("a path")
}

impl Subject {
    /// An interface with ten leaves.
    fn interface(&self, number: usize) -> Value {
        let name = format!("eth{number}");
        if !self.openconfig {
            return json!({"name": name, "mtu": 1400, "enabled": true, "description": "d"});
        }
        json!({
            "name": name,
            "config": {
                "name": name, "type": "iana-if-type:ethernetCsmacd", "mtu": 1500, "enabled": true,
                "description": "to the core", "loopback-mode": "NONE",
            },
            "hold-time": {"config": {"up": 1, "down": 2}},
            "subinterfaces": {"subinterface": [
                {"index": 0, "config": {"index": 0, "enabled": true}},
            ]},
        })
    }

    #[expect(clippy::expect_used, reason = "data made here")]
    fn edit(&self, onto: &Configuration, from: usize, to: usize) -> Delta {
        let list: Value = (from..to).map(|number| self.interface(number)).collect();
        let data = Data { form: DataForm::Json, json: json!({"interface": list}) };
        let operation = Operation::Update(path("/interfaces"), data);
        self.models.edit(&[operation]).expect("an edit").onto(onto)
    }

    pub(crate) fn tree(&self, interfaces: usize) -> Configuration {
        let mut tree = Configuration::new();
        let delta = self.edit(&tree, 0, interfaces);
        tree.apply_values(&delta);
        tree
    }

    pub(crate) fn one_leaf(&self, content: Option<Content>) -> Delta {
        let leaf = if self.openconfig { "config/mtu" } else { "mtu" };
        let path = path(&format!("/interfaces/interface[name=eth5]/{leaf}"));
        [(path, content)].into_iter().collect()
    }
}

/// Something too slow to be done often.
fn once(what: &'static str, sizes: &[usize], mut work: impl FnMut(usize) -> f64) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for size in sizes {
        let figure = work(*size);
        let floor = rows.first().map_or(figure, |row| row.figure);
        rows.push(Row { what, size: *size, figure, ratio: figure / floor });
    }
    rows
}

fn timed<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    std::hint::black_box(work());
    nanoseconds(start)
}

/// How many times as long the one takes, size by size.
fn against(what: &'static str, slow: &[Row], quick: &[Row]) -> Vec<Row> {
    let times = |(slow, quick): (&Row, &Row)| slow.figure / quick.figure;
    let floor = slow.first().zip(quick.first()).map_or(1.0, times);
    let row = |pair: (&Row, &Row)| {
        let figure = times(pair);
        Row { what, size: pair.0.size, figure, ratio: figure / floor }
    };
    slow.iter().zip(quick).map(row).collect()
}

/// What one validation of a one-leaf change takes, in milliseconds: what a commit cannot do without.
pub(crate) fn verdict() -> Value {
    let subject = load();
    let leaf = subject.one_leaf(Some(Content::leaf(1450_u64)));
    let make = |size| subject.tree(size);
    let rows = sizes("one leaf changed: the change judged", &SIZES, make, |tree| {
        subject.models.validate_change(tree, &leaf).len()
    });
    rows.iter().map(|row| json!({ "size": row.size, "milliseconds": row.figure / 1e6 })).collect()
}

/// Measures all of it.
pub(crate) fn rows() -> Vec<Row> {
    let subject = load();
    let modules = subject.models.modules().len();
    let mut rows = once("models loaded", &[modules], |_| subject.loaded);
    if let Some(taken) = subject.taken {
        rows.extend(once("memory of the models, in bytes", &[modules], |_| taken));
    }
    rows.extend(memory::of_a_leaf(10_000, |size| subject.tree(size)));
    rows.extend(changes(&subject));
    rows.extend(data(&subject));
    rows
}

/// What the verdict on a change costs.
fn changes(subject: &Subject) -> Vec<Row> {
    let models = &subject.models;
    let make = |size| subject.tree(size);
    let leaf = subject.one_leaf(Some(Content::leaf(1450_u64)));
    let quick = sizes("one leaf changed: the change judged", &SIZES, make, |tree| {
        models.validate_change(tree, &leaf).len()
    });
    let whole = once("one leaf changed: the whole judged", &SIZES, |size| {
        let mut tree = make(size);
        tree.apply_values(&leaf);
        timed(|| models.validate(&tree))
    });
    let times = against("one leaf changed: times the whole takes", &whole, &quick);
    let gone = subject.one_leaf(None);
    let removed = sizes("one leaf removed: the change judged", &SIZES, make, |tree| {
        models.validate_change(tree, &gone).len()
    });
    let with_new = |size| {
        let tree = make(size);
        let delta = subject.edit(&tree, size, size + 1);
        (tree, delta)
    };
    let added =
        sizes("an interface added: the change judged", &SIZES, with_new, |(tree, delta)| {
            models.validate_change(tree, delta).len()
        });
    let with_gone = |size| {
        let tree = make(size);
        let gone = tree.under(&path("/interfaces/interface[name=eth5]"));
        let delta: Delta = gone.map(|(path, _)| (path.clone(), None)).collect();
        (tree, delta)
    };
    let dropped =
        sizes("an interface removed: the change judged", &SIZES, with_gone, |(tree, delta)| {
            models.validate_change(tree, delta).len()
        });
    [quick, whole, times, removed, added, dropped].into_iter().flatten().collect()
}

/// What data in and out costs.
fn data(subject: &Subject) -> Vec<Row> {
    let models = &subject.models;
    let mut rows = once("interfaces read from JSON", &SIZES, |size| {
        timed(|| subject.edit(&Configuration::new(), 0, size))
    });
    rows.extend(once("everything rendered, with defaults", &SIZES, |size| {
        let tree = subject.tree(size);
        timed(|| models.get(&tree, &Path::root(), Form::Ietf).map(|found| found.len()))
    }));
    let one = path("/interfaces/interface[name=eth5]");
    rows.extend(sizes(
        "one interface rendered, with defaults",
        &SIZES,
        |size| subject.tree(size),
        |tree| models.get(tree, &one, Form::Ietf).map(|found| found.len()),
    ));
    rows
}
