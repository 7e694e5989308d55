//! Loading model sets.

use std::path::PathBuf;

use lockstep_yang::{LoadError, ModelSet, Options};

use crate::common::{TYPES, path};

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    folder
}

fn module(name: &str, body: &str) -> String {
    format!("module {name} {{ namespace \"urn:{name}\"; prefix {name}; {body} }}")
}

fn load(path: PathBuf, modules: &[&str], features: &[&str]) -> Result<ModelSet, LoadError> {
    let owned = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    ModelSet::load(&Options {
        path,
        modules: owned(modules),
        features: owned(features),
        origin: None,
    })
}

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/yang")
}

#[test]
fn modules_are_listed_and_submodules_are_not() {
    let names: Vec<&str> = TYPES.modules().iter().map(|module| module.name.as_str()).collect();
    assert_eq!(names, ["base", "extra", "types"]);
    assert_eq!(TYPES.modules()[0].revision, "2026-01-02");
    assert_eq!(TYPES.modules()[0].organization, "Test");
    assert_eq!(TYPES.origin(), None);
}

#[test]
fn only_what_is_asked_for() {
    let set = load(fixtures(), &["types"], &[]).unwrap();
    assert!(set.check(&path("/all/added")).is_err());
    assert!(set.check(&path("/all/string")).is_ok());
}

#[test]
fn features_are_off_unless_asked_for() {
    let quick = |features: &[&str]| {
        load(fixtures(), &[], features).unwrap().check(&path("/all/quick")).is_ok()
    };
    assert!(!quick(&[]));
    assert!(quick(&["extra:fast"]));
    assert!(quick(&["extra:*"]));
    assert!(quick(&["*"]));
    for wrong in ["fast", "nope:fast"] {
        assert!(matches!(load(fixtures(), &[], &[wrong]), Err(LoadError::Feature { .. })));
    }
    assert!(matches!(load(fixtures(), &[], &["extra:slow"]), Err(LoadError::Invalid { .. })));
}

#[test]
fn folders_are_searched() {
    let a = module("a", "import b { prefix b; } leaf x { type b:t; }");
    let b = module("b", "typedef t { type uint8; }");
    let folder = folder(&[("one/a.yang", &a), ("two/deep/b@2020-01-01.yang", &b)]);
    let set = load(folder.path().to_owned(), &["a"], &[]).unwrap();
    assert!(set.check(&path("/x")).is_ok());
}

#[test]
fn links_lead_to_files_but_not_around() {
    let a = module("a", "leaf x { type uint8; }");
    let folder = folder(&[(".hidden/a.yang", &a)]);
    std::os::unix::fs::symlink(folder.path(), folder.path().join("loop")).unwrap();
    std::os::unix::fs::symlink(".hidden/a.yang", folder.path().join("a.yang")).unwrap();
    let set = load(folder.path().to_owned(), &[], &[]).unwrap();
    assert!(set.check(&path("/x")).is_ok());
}

#[test]
fn the_digest_is_of_the_files() {
    let a = module("a", "leaf x { type uint8; }");
    let changed = module("a", "leaf x { type uint16; }");
    let digest = |files: &[(&str, &str)], features: &[&str]| {
        let folder = folder(files);
        load(folder.path().to_owned(), &[], features).unwrap().digest().clone()
    };
    let first = digest(&[("a.yang", &a)], &[]);
    assert_eq!(first.as_str().len(), 64);
    assert_eq!(digest(&[("a.yang", &a), ("README", "x")], &[]), first);
    assert_ne!(digest(&[("a.yang", &changed)], &[]), first);
    assert_ne!(digest(&[("b/a.yang", &a)], &[]), first);
    assert_ne!(digest(&[("a.yang", &a)], &["*"]), first);
}

#[test]
fn what_cannot_be_loaded_is_told() {
    let empty = folder(&[("README", "x")]);
    let nothing = load(empty.path().to_owned(), &[], &[]);
    assert!(matches!(nothing, Err(LoadError::NoModules { .. })));
    let missing = load(empty.path().join("nope"), &[], &[]);
    assert!(matches!(missing, Err(LoadError::Read { .. })));
    let error = load(fixtures(), &["typs"], &[]).unwrap_err().to_string();
    assert!(
        error.contains("there is no module typs") && error.contains("did you mean types?"),
        "{error}"
    );
    for body in ["leaf x { type nope; }", "leaf x {", "import nope { prefix n; }"] {
        let folder = folder(&[("a.yang", &module("a", body))]);
        let error = load(folder.path().to_owned(), &[], &[]).unwrap_err();
        assert!(
            matches!(&error, LoadError::Invalid { messages } if !messages.is_empty()),
            "{error}"
        );
    }
}

#[test]
fn a_model_set_is_shared_between_threads() {
    fn shared<T: Send + Sync + Clone>() {}
    shared::<ModelSet>();
}
