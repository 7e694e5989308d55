//! Patterns as OpenConfig writes them: POSIX, for all patterns of a module or beside those of YANG.

use lockstep_types::Configuration;
use lockstep_yang::{DataError, EditError, ModelSet, Operation, Options};
use serde_json::json;

use crate::common::{path, update, with};

const EXTENSIONS: &str = "module openconfig-extensions { namespace 'urn:e'; prefix oc-ext; \
    extension regexp-posix; extension posix-pattern { argument pattern; } }";
const POSIX: &str = "module posix { namespace 'urn:p'; prefix p; \
    import openconfig-extensions { prefix oc-ext; } oc-ext:regexp-posix; \
    leaf whole { type string { pattern '^[a-c]+$'; } } leaf part { type string { pattern '[a-c]'; } } }";
const BESIDE: &str = "module beside { namespace 'urn:b'; prefix b; \
    import openconfig-extensions { prefix oc-ext; } \
    typedef t { type string { pattern '[a-d]+'; oc-ext:posix-pattern '^[a-c]+$'; } } \
    leaf one { type t; } list l { key k; leaf k { type t; } leaf-list many { type t; } } \
    leaf other { type string; must \"../one\" { error-message 'Not without.'; } } }";

fn set() -> ModelSet {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in
        [("openconfig-extensions", EXTENSIONS), ("posix", POSIX), ("beside", BESIDE)]
    {
        std::fs::write(folder.path().join(format!("{name}.yang")), text).unwrap();
    }
    ModelSet::load(&Options { path: folder.path().to_owned(), ..Options::default() }).unwrap()
}

#[test]
fn posix_patterns_of_a_module_are_heeded() {
    let set = set();
    for (leaf, value, fits) in [
        ("/whole", "abc", true),
        ("/whole", "abcd", false),
        // Nothing says that it has to be all of the value.
        ("/part", "xay", true),
        ("/part", "xy", false),
    ] {
        match set.edit(&[update(leaf, json!(value))]) {
            Ok(_) => assert!(fits, "{leaf} {value}"),
            Err(EditError::Data(DataError::Values(values))) => {
                assert!(!fits, "{leaf} {value}");
                assert_eq!(values[0].path, path(leaf));
                assert_eq!(values[0].value, Some(json!(value).to_string()));
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// What a change breaks, which is all that is told of it, whatever else is broken.
fn broken(set: &ModelSet, operation: Operation) -> Vec<String> {
    let delta = set.edit(&[operation]).unwrap().onto(&Configuration::new());
    let mut tree = Configuration::new();
    tree.apply_values(&delta);
    let told = set.validate_change(&Configuration::new(), &delta);
    assert_eq!(told, set.validate(&tree));
    let spoilt = with(set, json!({"beside:other": "x"}));
    assert_eq!(set.validate(&spoilt).len(), 1);
    if delta.paths().all(|changed| *changed != path("/one")) {
        assert_eq!(set.validate_change(&spoilt, &delta), told, "not at the cost of the whole");
    }
    told.iter().map(ToString::to_string).collect()
}

#[test]
fn posix_patterns_beside_those_of_yang_are_heeded() {
    let set = set();
    let not = |value| format!("Unsatisfied pattern - \"{value}\" does not match \"^[a-c]+$\".");
    let fine = json!({"beside:one": "ab", "beside:l": [{"k": "c", "many": ["a", "b"]}]});
    assert_eq!(broken(&set, update("/", fine)), Vec::<String>::new());
    let one = broken(&set, update("/one", json!("ad")));
    assert_eq!(one, [format!("/one: {} (value \"ad\")", not("ad"))]);
    let inside = broken(&set, update("/l[k=d]", json!({"many": ["a", "d", "dd"]})));
    let many = |value| format!("/l[k=d]/many: {} (value [\"a\",\"d\",\"dd\"])", not(value));
    let key = format!("/l[k=d]/k: {} (value \"d\")", not("d"));
    assert_eq!(inside, [key, many("d"), many("dd")]);
}
