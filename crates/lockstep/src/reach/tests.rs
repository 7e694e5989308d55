//! Options as operators give them, and what becomes of them on a node.

use lockstep_northbound::{Directory, Glob, Unbound};
use lockstep_protocol::record::{Drift, Initial};
use serde_json::{Map, Value, json};

use super::*;

fn models() -> Models {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models/lab");
    let set = ModelSet::load(&lockstep_yang::Options { path, ..Default::default() }).unwrap();
    Models::new([("lab".to_owned(), set)].into())
}

/// A node whose file names `filed`.
fn targets(secret: Option<&str>) -> Reach {
    let folder = tempfile::tempdir().unwrap();
    let key = secret.map(|secret| {
        let file = folder.path().join("key");
        std::fs::write(&file, secret.repeat(32)).unwrap();
        Arc::new(Key::read(&file).unwrap())
    });
    let filed = json!({ "address": "127.0.0.1:1", "model": "lab" });
    let filed = config::target(options(filed), folder.path(), &["lab"].into(), &|_| None).unwrap();
    Reach {
        node: NodeName::new("n1").unwrap(),
        config: None,
        folder: "/etc/lockstep".into(),
        file: [(name("filed"), filed)].into(),
        models: models(),
        key,
        variables: Variables::new(["LOCKSTEP_TEST_*", "PATH"].map(Glob::new).to_vec()),
    }
}

fn name(name: &str) -> Target {
    Target::new(name).unwrap()
}

fn options(options: Value) -> Map<String, Value> {
    options.as_object().unwrap().clone()
}

fn bind(targets: &Reach, given: Value) -> Result<Binding, Unbound> {
    Directory::bind(targets, &name("leaf1"), None, options(given))
}

fn change(targets: &Reach, bound: &Binding, given: Value) -> Result<Binding, Unbound> {
    Directory::bind(targets, &name("leaf1"), Some(bound), options(given))
}

fn reach(targets: &Reach, bound: &Binding) -> Result<TargetConfig, String> {
    targets.reached(&name("leaf1"), &Details::read(&bound.details).unwrap())
}

fn wrong(answer: Result<Binding, Unbound>) -> String {
    match answer {
        Err(Unbound::Wrong(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn options_are_those_of_the_file() {
    let targets = targets(None);
    let bound = bind(
        &targets,
        json!({
            "address": "10.0.0.1:57400", "skip-verify": true, "timeout": "3s", "drift": "enforce",
            "initial": "replace", "ignore": ["/system/motd"], "tags": ["pod1"], "tls-ca": "ca.pem",
        }),
    )
    .unwrap();
    assert_eq!((bound.drift, bound.initial), (Drift::Enforce, Initial::Replace));
    assert_eq!(bound.ignore, ["/system/motd".parse().unwrap()]);
    assert_eq!(bound.models, *targets.models.named("lab").unwrap().digest());
    let known = targets.known(&name("leaf1"), &bound);
    assert_eq!((known.address.as_str(), known.model.as_str()), ("10.0.0.1:57400", "lab"));
    assert_eq!((known.tags, known.source), (vec!["pod1".to_owned()], Source::Api));
    let reached = reach(&targets, &bound).unwrap().driver;
    assert!(reached.skip_verify);
    assert_eq!(reached.timeout, std::time::Duration::from_secs(3));
    assert_eq!(reached.tls_ca, Some("/etc/lockstep/ca.pem".into()), "a file of the node");
}

#[test]
fn what_is_wrong_is_named() {
    let targets = targets(None);
    let address = "127.0.0.1:1";
    for (given, said) in [
        (json!({}), "missing field `address`"),
        (json!({ "address": "leaf1" }), "address: `leaf1` is not HOST:PORT"),
        (json!({ "address": address, "adress": 1 }), "did you mean `address`?"),
        (json!({ "address": address, "model": "lbb" }), "model: there is no model set `lbb`"),
        (json!({ "address": address, "timeout": "soon" }), "timeout: "),
        (json!({ "address": address, "drift": "perhaps" }), "drift: `perhaps` is not one of"),
        (json!({ "address": address, "ignore": ["/nowhere"] }), "ignore: "),
        (json!({ "address": address, "tls-cert": "a" }), "go together"),
    ] {
        let why = wrong(bind(&targets, given.clone()));
        assert!(why.contains(said), "{given}: {why}");
    }
    let star = Directory::bind(&targets, &name("*"), None, options(json!({ "address": address })));
    assert!(wrong(star).contains("stands for every target"));
}

#[test]
fn only_what_is_given_changes() {
    let targets = targets(None);
    let first = json!({ "address": "127.0.0.1:1", "username": "admin", "drift": "adopt" });
    let first = bind(&targets, first).unwrap();
    let second = change(&targets, &first, json!({ "address": "127.0.0.1:2" })).unwrap();
    let reached = reach(&targets, &second).unwrap().driver;
    assert_eq!(
        (reached.addresses, reached.username),
        (vec!["127.0.0.1:2".into()], Some("admin".into()))
    );
    assert_eq!(second.drift, Drift::Adopt);
    let third = change(&targets, &second, json!({ "username": null, "drift": null })).unwrap();
    assert_eq!(reach(&targets, &third).unwrap().driver.username, None);
    assert_eq!(third.drift, Drift::Report);
    assert!(wrong(change(&targets, &third, json!({ "address": null }))).contains("address"));
    let unknown = wrong(change(&targets, &third, json!({ "pasword": null })));
    assert_eq!(unknown, "unknown key `pasword`; did you mean `password`?");
    assert!(targets.is_same(&name("leaf1"), &third, &third));
    assert!(!targets.is_same(&name("leaf1"), &first, &second));
    let tagged = json!({ "tags": ["pod1"], "drift": "enforce", "ignore": ["/system/motd"] });
    let tagged = change(&targets, &third, tagged).unwrap();
    assert!(targets.is_same(&name("leaf1"), &third, &tagged), "no reason to connect anew");
    let of_file =
        Reach::of_file(&targets.file[&name("filed")], &targets.models.named("lab").unwrap());
    assert!(!targets.is_same(&name("leaf1"), &third, &of_file));
}

#[test]
fn models_are_those_that_are_named_and_stay_otherwise() {
    let targets = targets(None);
    let bound = bind(&targets, json!({ "address": "127.0.0.1:1" })).unwrap();
    let other =
        Binding { models: lockstep_types::ModelDigest::new("other").unwrap(), ..bound.clone() };
    // The name may stand for something else by now, and this node may not have what it stood for.
    let kept = change(&targets, &other, json!({ "timeout": "1s" })).unwrap();
    assert_eq!(kept.models, other.models);
    let named = change(&targets, &other, json!({ "model": "lab" })).unwrap();
    assert_eq!(named.models, bound.models);
}

#[test]
fn a_password_is_a_reference_or_encrypted() {
    let given = json!({ "address": "127.0.0.1:1", "username": "admin", "password": "hunter2" });
    let why = wrong(bind(&targets(None), given.clone()));
    assert!(why.contains("`$NAME`") && why.contains("`secret-key-file`"), "{why}");
    assert!(!why.contains("hunter2"), "{why}");

    let targets_with = targets(Some("k"));
    let bound = bind(&targets_with, given.clone()).unwrap();
    assert!(!bound.details.contains("hunter2"), "{}", bound.details);
    assert_eq!(bind(&targets_with, given).unwrap(), bound, "sent twice, it is the same");
    let reached = reach(&targets_with, &bound).unwrap().driver;
    assert_eq!(reached.password.as_deref(), Some("hunter2"));
    // It is there still when something else changes, also through a node that cannot read it.
    let later = change(&targets(None), &bound, json!({ "timeout": "1s" })).unwrap();
    assert_eq!(reach(&targets_with, &later).unwrap().driver.password.as_deref(), Some("hunter2"));
    for (other, said) in
        [(targets(None), "has no `secret-key-file`"), (targets(Some("o")), "another key")]
    {
        let models = other.models.named("lab").unwrap();
        let why = other.reach(&name("leaf1"), &bound, &models).unwrap_err().reason;
        assert!(why.contains(said), "{why}");
    }
}

#[test]
fn dollars_and_numbers_are_what_they_are() {
    let targets = targets(Some("k"));
    for (given, plain) in [
        (json!("$$HOME"), "$HOME"),
        (json!("$$$"), "$$"),
        (json!("$ no name"), "$ no name"),
        (json!(1234), "1234"),
        (json!(true), "true"),
    ] {
        let bound = json!({ "address": "127.0.0.1:1", "token": given });
        let bound = bind(&targets, bound).unwrap();
        assert!(bound.details.contains("sealed:"), "{}", bound.details);
        assert_eq!(reach(&targets, &bound).unwrap().driver.token.as_deref(), Some(plain));
    }
    assert!(wrong(bind(&targets, json!({ "address": "a:1", "password": ["x"] }))).contains("text"));
}

#[test]
fn a_reference_is_resolved_where_it_is_used() {
    let targets = targets(None);
    let given = json!({ "address": "127.0.0.1:1", "password": "${LOCKSTEP_TEST_NOT_SET}" });
    // Whether it is set is for each node to see.
    let bound = bind(&targets, given).unwrap();
    let models = targets.models.named("lab").unwrap();
    let why = targets.reach(&name("leaf1"), &bound, &models).unwrap_err().reason;
    assert!(why.contains("$LOCKSTEP_TEST_NOT_SET") && why.contains("on node n1"), "{why}");
    let set = change(&targets, &bound, json!({ "password": "$PATH" })).unwrap();
    assert_eq!(reach(&targets, &set).unwrap().driver.password, std::env::var("PATH").ok());
}

/// Whoever gives options is told nothing that is in the environment of a node.
#[test]
fn the_environment_is_not_told() {
    let targets = targets(None);
    let secret = std::env::var("PATH").unwrap();
    for option in [
        "initial",
        "sync",
        "drift",
        "drift-interval",
        "commit-confirmed",
        "encoding",
        "timeout",
        "model",
        "insecure",
        "skip-verify",
        "tls-ca",
        "tls-cert",
        "tls-key",
        "tls-server-name",
        "role",
    ] {
        for given in ["$PATH", "${PATH}"] {
            let why = wrong(bind(&targets, json!({ "address": "127.0.0.1:1", option: given })));
            assert!(why.starts_with(&format!("{option}: ")), "{why}");
            assert!(!why.contains(&secret) && !why.contains("PATH"), "{option}: {why}");
        }
    }
    for option in ["ignore", "tags"] {
        let why =
            wrong(bind(&targets, json!({ "address": "127.0.0.1:1", option: ["/", "$PATH"] })));
        assert!(why.starts_with(&format!("{option}: ")) && !why.contains(&secret), "{why}");
    }
    // One that was kept by an earlier version is not looked up either.
    let details = Details::given(options(json!({ "address": "127.0.0.1:1", "initial": "$PATH" })));
    let why = targets.reached(&name("leaf1"), &details).unwrap_err();
    assert!(why.starts_with("initial: ") && !why.contains(&secret), "{why}");
}

/// An address may come from the environment, and is told by the name of the variable.
#[tokio::test]
async fn an_address_of_the_environment_is_not_told() {
    let targets = targets(None);
    let secret = std::env::var("PATH").unwrap();
    let models = targets.models.named("lab").unwrap();
    for address in [json!("$PATH"), json!(["127.0.0.1:0", "${PATH}"])] {
        let given = json!({ "address": address, "insecure": true });
        let bound = bind(&targets, given).unwrap();
        let found = reach(&targets, &bound).unwrap().driver;
        assert!(found.addresses.contains(&secret), "{:?}", found.addresses);
        assert!(!format!("{found:?}").contains(&secret), "{found:?}");
        let reached = targets.reach(&name("leaf1"), &bound, &models).unwrap();
        let why = reached.driver.connect().await.unwrap_err().to_string();
        assert!(why.contains("PATH") && !why.contains(&secret), "{why}");
    }
}

#[test]
fn targets_of_a_file_are_for_the_file_to_say() {
    let targets = targets(None);
    let models = targets.models.named("lab").unwrap();
    let bound = Reach::of_file(&targets.file[&name("filed")], &models);
    assert!(targets.reach(&name("filed"), &bound, &models).is_ok());
    let Err(Unbound::NotYours(why)) = targets.may_change(&name("filed"), &bound, None) else {
        panic!("it may be changed")
    };
    assert!(why.contains("of node n1"), "{why}");
    // One that no file names any more is left alone, until somebody says what to do with it.
    let gone = targets.reach(&name("gone"), &bound, &models).unwrap_err();
    assert_eq!(gone.state, lockstep_node::State::Paused);
    assert!(gone.reason.starts_with("the configuration file of node n1 does not name it"));
    assert_eq!(targets.known(&name("gone"), &bound).source, Source::File);
    assert_eq!(targets.may_change(&name("gone"), &bound, None), Ok(()));
    let master = NodeName::new("n2").unwrap();
    let Err(Unbound::NotYours(why)) = targets.may_change(&name("gone"), &bound, Some(&master))
    else {
        panic!("it may be changed")
    };
    assert!(why.contains("of node n2"), "{why}");
    let taken = change(&targets, &bound, json!({ "insecure": true })).unwrap();
    assert_eq!(targets.known(&name("gone"), &taken).source, Source::Api);
    assert!(reach(&targets, &taken).unwrap().driver.insecure);
    // In a store of before this was kept, every target is of a file.
    let before = Binding::of(models.digest().clone());
    assert_eq!(targets.known(&name("filed"), &before).source, Source::File);
    assert!(targets.reach(&name("filed"), &before, &models).is_ok());
}

#[test]
fn what_a_later_version_wrote_is_left_alone() {
    let targets = targets(None);
    let models = targets.models.named("lab").unwrap();
    for (details, said) in [
        (r#"{"version":2,"source":"api","options":{}}"#, "later version"),
        ("not JSON", "cannot be read"),
    ] {
        let bound = Binding { details: details.into(), ..Binding::of(models.digest().clone()) };
        let why = targets.reach(&name("leaf1"), &bound, &models).unwrap_err().reason;
        assert!(why.contains(said), "{why}");
    }
}

#[test]
fn only_variables_that_are_for_targets_may_be_named() {
    let targets = targets(None);
    let given =
        |value: Value| json!({ "address": "127.0.0.1:1", "username": "admin", "password": value });
    let why = wrong(bind(&targets, given(json!("$HOME"))));
    assert!(
        why.contains("password: $HOME is none of") && why.contains("`target-variables`"),
        "{why}"
    );
    let elsewhere = json!({ "address": ["127.0.0.1:1", "${HOME}"] });
    assert!(wrong(bind(&targets, elsewhere)).contains("address: $HOME"));
    for fine in ["$PATH", "${LOCKSTEP_TARGET_PASSWORD}", "$LOCKSTEP_TEST_1"] {
        bind(&targets, given(json!(fine))).unwrap();
    }
    let bound = bind(&targets, given(json!("$PATH"))).unwrap();
    assert!(
        wrong(change(&targets, &bound, json!({ "username": "$USER" }))).contains("username: $USER")
    );
    // Each node says so for itself, whoever was asked to add it.
    let strict = Reach { variables: Variables::new(Vec::new()), ..self::targets(None) };
    let why = reach(&strict, &bound).unwrap_err();
    assert!(why.contains("password: $PATH is none of"), "{why}");
    assert!(!why.contains(&std::env::var("PATH").unwrap()), "{why}");
    // What is not about that changes all the same.
    change(&strict, &bound, json!({ "timeout": "1s" })).unwrap();
}
