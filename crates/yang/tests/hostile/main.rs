//! Bad input: an error each time, no panic, and no memory that stays.
//!
//! The ordinary run takes seconds. The long one is part of `make yang-proof`; `LOCKSTEP_ROUND=n` makes it
//! one of other input than that of round 0.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says what went wrong by panicking")]

use std::path::PathBuf;
use std::sync::{LazyLock, Mutex};

use lockstep_types::{Configuration, Content, Delta, Path, Value};
use lockstep_yang::{Data, DataForm, Form, ModelSet, Operation, Options};
use serde_json::{Value as Json, json};

static TYPES: LazyLock<ModelSet> = LazyLock::new(|| {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/yang");
    let features = vec!["extra:fast".to_owned()];
    ModelSet::load(&Options { path, features, ..Options::default() }).unwrap()
});

/// Memory is that of the process, so one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Bytes that the process holds; none where that is not told.
fn memory() -> Option<usize> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(pages.split(' ').nth(1)?.parse::<usize>().ok()? * 4096)
}

/// Does something often, and sees that no memory stays.
fn flat(times: usize, mut work: impl FnMut(usize)) {
    let alone = ALONE.lock();
    (0..2 + times / 4).for_each(&mut work);
    let before = memory();
    (0..times).for_each(&mut work);
    let grown = memory().zip(before).map_or(0, |(after, before)| after.saturating_sub(before));
    assert!(grown < 48 << 20, "{grown} bytes more after {times} times");
    drop(alone);
}

/// Everything that a value from outside goes through.
fn take(path: &Path, json: &Json) -> bool {
    let mut any = false;
    for form in [DataForm::Json, DataForm::Ietf, DataForm::Scalar] {
        let data = Data { form, json: json.clone() };
        let operations = [Operation::Update(path.clone(), data.clone())];
        let replaced = [Operation::Replace(path.clone(), data.clone())];
        any |= TYPES.edit(&replaced).is_ok();
        let _ = TYPES.read(path, &data);
        if let Ok(edit) = TYPES.edit(&operations) {
            any = true;
            let delta = edit.onto(&Configuration::new());
            let mut tree = Configuration::new();
            tree.apply_values(&delta);
            let whole = TYPES.validate(&tree);
            if TYPES.validate(&Configuration::new()).is_empty() {
                assert_eq!(TYPES.validate_change(&Configuration::new(), &delta), whole);
            }
            let _ = TYPES.get(&tree, path, Form::Ietf);
        }
    }
    any
}

/// Which of the runs this is.
fn round() -> u64 {
    std::env::var("LOCKSTEP_ROUND").map_or(0, |round| round.parse::<u64>().unwrap() << 32)
}

struct Bytes(u64);

impl Bytes {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

const SEEDS: [(&str, &str); 4] = [
    ("/", r#"{"types:all": {"int8": 5, "uint64": "7", "types:string": "x", "bits": "zulu"}}"#),
    ("/all", r#"{"decimal": "1.5", "boolean": true, "empty": [null], "binary": "AAEC"}"#),
    ("/keyed", r#"{"by-number": [{"id": 1, "note": "b"}, {"id": 2}], "rule": [{"name": "c"}]}"#),
    ("/all/identity", r#""base:red""#),
];
const PIECES: [&str; 20] = [
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "\"",
    "\\",
    "null",
    "1e309",
    "-0",
    "99999999999999999999",
    "\u{0}",
    "\\ud800",
    "\u{FEFF}",
    "true",
    "[[[[[[[[",
    "{\"types:all\":",
    "\u{10FFFF}",
    "0x1F",
];

/// JSON with some bytes changed, moved, doubled or taken away.
fn damaged(random: &mut Bytes, text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + random.below(4) {
        let place = random.below(bytes.len().max(1));
        match random.below(4) {
            0 if !bytes.is_empty() => bytes[place] = u8::try_from(random.below(256)).unwrap(),
            1 if !bytes.is_empty() => drop(bytes.remove(place)),
            2 => {
                let piece = PIECES[random.below(PIECES.len())];
                bytes.splice(place..place, piece.bytes());
            }
            _ => {
                let end = (place + random.below(12)).min(bytes.len());
                let copy = bytes[place.min(end)..end].to_vec();
                bytes.splice(place..place, copy);
            }
        }
    }
    bytes
}

fn malformed(times: usize) {
    let mut random = Bytes(7 + round());
    let (mut taken, mut refused, mut no_json) = (0, 0, 0);
    flat(times, |_| {
        let (path, text) = SEEDS[random.below(SEEDS.len())];
        match serde_json::from_slice::<Json>(&damaged(&mut random, text)) {
            Ok(json) if take(&path.parse().unwrap(), &json) => taken += 1,
            Ok(_) => refused += 1,
            Err(_) => no_json += 1,
        }
    });
    println!("{taken} taken, {refused} refused, {no_json} no JSON");
    assert!(taken > 0 && refused > 0 && no_json > 0);
}

#[test]
fn malformed_json_is_refused() {
    malformed(1500);
}

#[test]
#[ignore = "takes minutes: make yang-proof"]
fn malformed_json_is_refused_at_length() {
    malformed(400_000);
}

/// What does not belong where it is put.
fn strange(random: &mut Bytes) -> Json {
    match random.below(16) {
        0 => Json::Null,
        1 => json!(true),
        2 => json!(-1),
        3 => json!(1e308),
        4 => json!(u64::MAX),
        5 => json!(i64::MIN),
        6 => json!(0.1),
        7 => json!(""),
        8 => json!("x".repeat(1 + random.below(5_000))),
        9 => json!("\u{0}\u{1}\u{10FFFF}\u{FEFF}"),
        10 => json!([]),
        11 => json!({}),
        12 => json!([null, [1], {"a": 2}]),
        13 => json!({"types:all": {"int8": {"int8": 1}}, "": null, "a:b:c": 1}),
        14 => (0..random.below(120)).fold(json!("deep"), |inside, _| json!([inside])),
        _ => json!(
            ["-0", "1e5", "0x10", "+7", " 7", "07", "NaN", "::", "a:", ":b"][random.below(10)]
        ),
    }
}

/// JSON with something strange somewhere in it: a value, a member or an item.
fn with_strange(random: &mut Bytes, json: Json) -> Json {
    match json {
        Json::Object(mut members) if !members.is_empty() && random.below(4) > 0 => {
            let names: Vec<String> = members.keys().cloned().collect();
            let name = &names[random.below(names.len())];
            let value = members.remove(name).unwrap();
            let name = match random.below(6) {
                0 => format!("types:{name}"),
                1 => format!("{name}x"),
                _ => name.clone(),
            };
            members.insert(name, with_strange(random, value));
            Json::Object(members)
        }
        Json::Array(mut items) if !items.is_empty() && random.below(4) > 0 => {
            let place = random.below(items.len());
            let item = items[place].take();
            items[place] = with_strange(random, item.clone());
            if random.below(5) == 0 {
                items.push(item);
            }
            Json::Array(items)
        }
        _ => strange(random),
    }
}

fn misshapen(times: usize) {
    let mut random = Bytes(11 + round());
    let (mut taken, mut refused) = (0, 0);
    flat(times, |_| {
        let (path, text) = SEEDS[random.below(SEEDS.len())];
        let mut json: Json = serde_json::from_str(text).unwrap();
        for _ in 0..1 + random.below(2) {
            json = with_strange(&mut random, json);
        }
        match take(&path.parse().unwrap(), &json) {
            true => taken += 1,
            false => refused += 1,
        }
    });
    println!("{taken} taken, {refused} refused");
    assert!(taken > 0 && refused > taken, "{taken} taken, {refused} refused");
}

#[test]
fn json_of_wrong_shapes_and_types_is_refused() {
    misshapen(1500);
}

#[test]
#[ignore = "takes minutes: make yang-proof"]
fn json_of_wrong_shapes_and_types_is_refused_at_length() {
    misshapen(150_000);
}

#[test]
fn deep_nesting_is_refused() {
    // A reader of JSON stops at 128; what is made otherwise may be deeper.
    assert!(serde_json::from_str::<Json>(&"[".repeat(100_000)).is_err());
    let deep = (0..1_000).fold(json!(1), |inside, depth| {
        if depth % 2 == 0 { json!([inside]) } else { json!({"types:all": inside, "a": 1}) }
    });
    flat(40, |_| {
        for path in ["/", "/all", "/all/int8", "/keyed/rule", "/all/mixed"] {
            assert!(!take(&path.parse().unwrap(), &deep), "{path}");
        }
    });
    let long: String = "/all".repeat(10_000);
    assert!(TYPES.check(&long.parse().unwrap()).is_err());
}

#[test]
fn huge_values_are_refused_or_kept_and_not_repeated_in_errors() {
    let huge = "x".repeat(10 << 20);
    flat(3, |_| {
        for leaf in ["int8", "types:string", "identity", "enumeration"] {
            let data = Data { form: DataForm::Ietf, json: Json::from(huge.as_str()) };
            let path: Path = format!("/all/{leaf}").parse().unwrap();
            let Err(error) = TYPES.edit(&[Operation::Update(path, data)]) else {
                panic!("{leaf} took it");
            };
            let error = error.to_string();
            assert!(error.len() < 4096, "{leaf}: {} bytes", error.len());
        }
    });
}

#[test]
fn huge_numbers_are_refused() {
    for text in
        ["1e308", "1e-300", "18446744073709551616", "-9223372036854775809", "0.1e400", "NaN"]
    {
        let Ok(json) = serde_json::from_str::<Json>(text) else { continue };
        for leaf in ["int8", "int64", "uint8", "uint64", "boolean", "enumeration"] {
            assert!(!take(&format!("/all/{leaf}").parse().unwrap(), &json), "{leaf} {text}");
        }
    }
}

#[test]
fn what_is_not_in_the_models_is_told() {
    let units = [
        ("/nothing", Content::leaf(1_u64)),
        ("/all/int8", Content::leaf("text")),
        ("/all/int8", Content::Presence),
        ("/all/int8[a=1]/x", Content::Entry),
        ("/keyed/rule[name=a][name2=b]", Content::Entry),
        ("/all/numbers", Content::leaf_list([Value::string("\u{0}")])),
    ];
    flat(40, |_| {
        for (path, content) in &units {
            let delta: Delta =
                [(path.parse().unwrap(), Some(content.clone()))].into_iter().collect();
            let mut tree = Configuration::new();
            tree.apply_values(&delta);
            let whole = TYPES.validate(&tree);
            assert_ne!(whole, [], "{path}");
            assert_eq!(TYPES.validate_change(&Configuration::new(), &delta), whole, "{path}");
        }
    });
}
