//! Loading model sets.

use std::path::{Path, PathBuf};

use lockstep_yang::{Data, DataForm, LoadError, ModelSet, Operation, Options};

use crate::common::{TYPES, path, with};

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
        error.contains("there is no module typs") && error.contains("did you mean `types`?"),
        "{error}"
    );
    for body in ["leaf x { type nope; }", "leaf x {", "import nope { prefix n; }"] {
        let folder = folder(&[("a.yang", &module("a", body))]);
        let error = load(folder.path().to_owned(), &[], &[]).unwrap_err();
        assert!(matches!(&error, LoadError::Invalid { faults } if !faults.is_empty()), "{error}");
    }
}

#[test]
fn a_file_that_is_not_utf_8_is_refused() {
    let body = "container c { leaf x { type string; \
                must \"count(../l/d/ancestor-or-self::*) < 99\"; } list l { key k; \
                leaf k { type string; } container d { leaf e { type string; } } } }";
    let mut bytes = b"// first\n// caf\xe9\n".to_vec();
    bytes.extend(module("a", body).into_bytes());
    let good = module("good", "leaf g { type string; }");
    let folder = folder(&[("good.yang", &good)]);
    let file = folder.path().join("a.yang");
    std::fs::write(&file, bytes).unwrap();
    let error = load(folder.path().to_owned(), &[], &[]).unwrap_err();
    let LoadError::Encoding { path, line, position } = &error else { panic!("{error}") };
    assert_eq!((path, *line, *position), (&file, 2, 15));
    let text = error.to_string();
    assert!(text.contains("a.yang, line 2") && text.contains("convert it to UTF-8"), "{text}");
}

#[test]
fn a_mark_of_the_byte_order_does_not_hide_a_module() {
    let good = module("a", "leaf x { type string; }");
    let bad = module("a", "leaf x { type string; must \"count(ancestor-or-self::*) < 9\"; }");
    let marked = |text: &str| {
        let folder = folder(&[("a.yang", &format!("\u{feff}{text}"))]);
        load(folder.path().to_owned(), &[], &[])
    };
    assert!(marked(&good).unwrap().check(&path("/x")).is_ok());
    assert!(matches!(marked(&bad), Err(LoadError::Expression { .. })));
}

const YIN: &str = "<module name=\"b\" xmlns=\"urn:ietf:params:xml:ns:yang:yin:1\">\
                   <namespace uri=\"urn:b\"/><prefix value=\"b\"/>\
                   <typedef name=\"t\"><type name=\"string\"/></typedef></module>";

/// What libyang finds and we do not read would be neither checked nor in the digest.
#[test]
fn nothing_is_imported_that_was_not_read() {
    let a = "module a {\n  namespace \"urn:a\";\n  prefix a;\n  import b { prefix b; }\n  \
             leaf x { type b:t; }\n}\n";
    let b = module("b", "typedef t { type string; }");
    let apart = folder(&[("b.yang", &b)]);
    for (name, text) in [("b.yin", YIN), (".h/b.yang", &b), ("deep/.h/b.yang", &b), (".b.yang", &b)]
    {
        let folder = folder(&[("a.yang", a), (name, text)]);
        import_is_missing(folder.path(), name);
    }
    let linked = folder(&[("a.yang", a)]);
    std::os::unix::fs::symlink(apart.path(), linked.path().join("more")).unwrap();
    import_is_missing(linked.path(), "a linked folder");
    let part = folder(&[
        ("a.yang", &module("a", "include part;")),
        (".h/part.yang", "submodule part { belongs-to a { prefix a; } }"),
    ]);
    let error = load(part.path().to_owned(), &[], &[]).unwrap_err().to_string();
    assert!(error.contains("a.yang, line 1: ") && error.contains("hidden"), "{error}");
}

fn import_is_missing(folder: &Path, name: &str) {
    let error = load(folder.to_owned(), &["a"], &[]).map(drop).unwrap_err().to_string();
    assert!(error.contains("a.yang, line 4: ") && error.contains("\"b\""), "{name}: {error}");
    assert!(error.contains("hidden") && error.contains("*.yang"), "{name}: {error}");
}

#[test]
fn a_module_is_known_by_its_name_and_not_that_of_its_file() {
    let a = module("a", "import b { prefix b; } leaf x { type b:t; }");
    let b = module("b", "typedef t { type string; }");
    let folder = folder(&[("a.yang", &a), ("other.yang", &b)]);
    let set = load(folder.path().to_owned(), &["a"], &[]).unwrap();
    assert!(set.check(&path("/x")).is_ok());
}

#[test]
fn a_model_set_is_shared_between_threads() {
    fn shared<T: Send + Sync + Clone>() {}
    shared::<ModelSet>();
}

fn revised(revision: &str, leaf: &str) -> String {
    module("a", &format!("revision {revision}; leaf {leaf} {{ type string; }}"))
}

#[test]
fn the_newest_revision_unless_told() {
    let (old, new) = (revised("2020-02-02", "old"), revised("2021-01-01", "new"));
    let user = module("b", "import a { prefix a; } leaf b { type leafref { path '/a:new'; } }");
    for names in [
        ["a@2020-02-02.yang", "a@2021-01-01.yang"],
        ["1/a.yang", "2/a.yang"],
        ["2/a.yang", "1/a.yang"],
        ["x/y/a.yang", "a@2021-01-01.yang"],
    ] {
        let folder = folder(&[(names[0], &old), (names[1], &new), ("b.yang", &user)]);
        let has = |modules: &[&str], leaf: &str| {
            let set = load(folder.path().to_owned(), modules, &[]).unwrap();
            set.check(&format!("/{leaf}").parse().unwrap()).is_ok()
        };
        assert!(has(&["a"], "new") && !has(&["a"], "old"), "{names:?}");
        assert!(has(&["a@2020-02-02"], "old") && has(&[], "b"), "{names:?}");
        let error = load(folder.path().to_owned(), &["a@1999-01-01"], &[]).unwrap_err();
        assert!(error.to_string().contains("1999-01-01"), "{error}");
    }
}

#[test]
fn submodules_may_lie_anywhere() {
    let main = module("m", "include part; leaf x { type string; }");
    let part = "submodule part { belongs-to m { prefix m; } \
                include deeper; leaf y { type string; } }";
    let deeper = "submodule deeper { belongs-to m { prefix m; } \
                  leaf z { type string; } }";
    let folder =
        folder(&[("m.yang", &main), ("parts/part.yang", part), ("parts/more/deeper.yang", deeper)]);
    let set = load(folder.path().to_owned(), &[], &[]).unwrap();
    for leaf in ["/x", "/y", "/z"] {
        assert!(set.check(&leaf.parse().unwrap()).is_ok(), "{leaf}");
    }
}

#[test]
fn deviations_are_heeded() {
    let main = module("m", "leaf x { type uint8; } leaf y { type string; }");
    let deviation = module(
        "dev",
        "import m { prefix m; } deviation /m:y { deviate not-supported; } \
         deviation /m:x { deviate replace { type string; } }",
    );
    let folder = folder(&[("m.yang", &main), ("dev.yang", &deviation)]);
    let all = load(folder.path().to_owned(), &[], &[]).unwrap();
    assert!(all.check(&"/y".parse().unwrap()).is_err());
    let data = Data { form: DataForm::Ietf, json: "text".into() };
    let operation = [Operation::Update("/x".parse().unwrap(), data)];
    assert!(all.edit(&operation).is_ok());
    let plain = load(folder.path().to_owned(), &["m"], &[]).unwrap();
    assert!(plain.check(&"/y".parse().unwrap()).is_ok() && plain.edit(&operation).is_err());
}

#[test]
fn a_fault_is_told_with_file_and_line() {
    let head = "module a {\n  yang-version 1.1;\n  namespace \"urn:a\";\n  prefix a;\n";
    for (body, line, reason) in [
        ("  leaf x {\n    type strin;\n  }\n}\n", 6, "strin"),
        ("  leaf x {\n    tipe string;\n  }\n}\n", 6, "tipe"),
        ("  leaf x {\n    type string;\n    must \"../y = \";\n  }\n}\n", 5, "XPath"),
        ("  leaf x {\n    type string;\n    must \"preceding-sibling::*\";\n  }\n}\n", 7, "axis"),
    ] {
        let good = module("good", "leaf g { type string; }");
        let folder = folder(&[("deep/a.yang", &format!("{head}{body}")), ("good.yang", &good)]);
        let error = load(folder.path().to_owned(), &["a"], &[]).unwrap_err().to_string();
        let place = format!("deep/a.yang, line {line}: ");
        assert!(error.contains(&place) && error.contains(reason), "{error}");
        // Another set of the same folder is none the worse for it.
        assert!(load(folder.path().to_owned(), &["good"], &[]).is_ok());
    }
}

#[test]
fn what_libyang_would_not_survive_is_refused() {
    let body = |expression: &str| {
        format!(
            "container c {{ leaf x {{ type string; must \"{expression}\"; }} list l {{ key k; leaf k \
             {{ type string; }} container d {{ leaf e {{ type string; }} }} }} }} \
             leaf top {{ type string; }}"
        )
    };
    let refused = |expression: &str| {
        let folder = folder(&[("a.yang", &module("a", &body(expression)))]);
        matches!(load(folder.path().to_owned(), &[], &[]), Err(LoadError::Expression { .. }))
    };
    let long = "1 = 1 or ".repeat(5_000) + "1";
    for expression in [
        "count(ancestor-or-self::*) < 9",
        "../l/preceding-sibling::*",
        "count(//following::*) < 9",
        "sum(/) = 1",
        "deref(/.)",
        "enum-value(../..)",
        "bit-is-set(/ | ., 'a')",
        "(//*)/../*",
        "not((../l | ../l/d)/../*)",
        "../l[count(preceding::l) = 0]",
        long.as_str(),
    ] {
        assert!(refused(expression), "{expression}");
    }
    for expression in [
        "../../top = 'a' or count(../l) < 3",
        "not(../l[k = current()]/d/e) or //top",
        "count(..//e) < 4 and count(../l/descendant::e | ../../top) < 9",
        "deref(.)/../top or sum(../l/k) < 9",
    ] {
        assert!(!refused(expression), "{expression}");
    }
}

#[test]
fn conditions_that_libyang_would_not_survive_are_refused() {
    let refused = |body: &str| {
        let folder = folder(&[("a.yang", &module("a", body))]);
        matches!(load(folder.path().to_owned(), &[], &[]), Err(LoadError::Conditions { .. }))
    };
    let waits = |condition: &str| {
        format!(
            "leaf s {{ type string; }} leaf x {{ type string; when \"../s = 'a'\"; }} \
             list l {{ key k; leaf k {{ type string; }} container o {{ when \"../k = 'b'\"; \
             leaf i {{ type string; default d; when \"{condition}\"; }} \
             leaf j {{ type string; when \"../../k = 'c'\"; }} leaf n {{ type string; }} }} }}"
        )
    };
    for condition in ["/x = 'c'", "../../../x", "/l/o/n = 'a'", "../../../l[k = 'a']/o"] {
        assert!(refused(&waits(condition)), "{condition}");
    }
    for condition in ["../j = 'c'", "../n or ../../../s", "/s = 'a' and /l/k"] {
        assert!(!refused(&waits(condition)), "{condition}");
    }
}

#[test]
fn sets_stand_side_by_side() {
    let body = |of: &str| module("a", &format!("leaf x {{ type {of}; }}"));
    let (number, text) = (body("uint8"), body("string"));
    let number = folder(&[("a.yang", &number)]);
    let text = folder(&[("a.yang", &text)]);
    let broken = folder(&[("a.yang", &body("nothing"))]);
    let of = |folder: &tempfile::TempDir, origin: &str| {
        let (path, origin) = (folder.path().to_owned(), Some(origin.to_owned()));
        ModelSet::load(&Options { path, origin, ..Options::default() })
    };
    let first = of(&number, "one").unwrap();
    assert!(of(&broken, "two").is_err());
    let second = of(&text, "three").unwrap();
    assert_eq!((first.origin(), second.origin()), (Some("one"), Some("three")));
    let takes = |set: &ModelSet, json: serde_json::Value| {
        let data = Data { form: DataForm::Ietf, json };
        set.edit(&[Operation::Update(path("/x"), data)]).is_ok()
    };
    // What one refuses is no matter to the other.
    assert_eq!((takes(&first, 7.into()), takes(&first, "x".into())), (true, false));
    assert_eq!((takes(&second, 7.into()), takes(&second, "x".into())), (false, true));
    drop(first);
    assert!(takes(&second, "x".into()));
}

/// Sets come and go while others are at work, and what one thread hears is no matter to another.
#[test]
fn a_set_is_loaded_while_others_are_at_work() {
    let good = folder(&[("a.yang", &module("a", "leaf x { type uint8; must '. < 5'; }"))]);
    let broken = folder(&[("a.yang", &module("a", "leaf x { type nothing; }"))]);
    let bad = with(&TYPES, serde_json::json!({"types:rules": {"low": 5, "high": 5}}));
    std::thread::scope(|scope| {
        let work = scope.spawn(|| {
            for _ in 0..200 {
                assert_eq!(TYPES.validate(&bad).len(), 1);
            }
        });
        for _ in 0..20 {
            let set = load(good.path().to_owned(), &[], &[]).unwrap();
            let seven = with(&set, serde_json::json!({"a:x": 7}));
            assert_eq!(set.validate(&seven).len(), 1);
            let error = load(broken.path().to_owned(), &[], &[]).unwrap_err();
            let LoadError::Invalid { faults } = &error else { panic!("{error}") };
            assert!(faults.iter().all(|fault| fault.message.contains("nothing")), "{error}");
        }
        work.join().unwrap();
    });
}
