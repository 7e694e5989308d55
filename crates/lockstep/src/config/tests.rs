//! The file, by example.

use std::path::Path;

use lockstep_node::Retention;
use lockstep_northbound::{Access, AuditTo};
use lockstep_protocol::record::Initial;

use super::{Config, StoreConfig};

const SMALL: &str = "
insecure: true
models: {lab-1.0: ./models/lab}
targets:
  leaf1: {address: '127.0.0.1:57400', insecure: true}
";

fn parse(text: &str) -> Result<Config, String> {
    let environment = |name: &str| (name == "SECRET").then(|| "hunter2".to_owned());
    Config::parse(text, Path::new("/etc/lockstep"), &environment).map_err(|e| e.to_string())
}

fn error(text: &str) -> String {
    parse(text).unwrap_err()
}

#[test]
fn defaults_work() {
    let config = parse(SMALL).unwrap();
    assert_eq!(config.listen.to_string(), "127.0.0.1:9339");
    assert_eq!(config.http.to_string(), "127.0.0.1:9340");
    let StoreConfig::Folder(folder) = &config.store else { panic!("a folder") };
    assert_eq!(folder, Path::new("/etc/lockstep/./data"));
    assert_eq!((config.limits.message, config.pending), (16 << 20, 10_000));
    let leaf1 = &config.targets["leaf1"];
    assert_eq!(leaf1.model, "lab-1.0");
    assert_eq!(leaf1.initial, Initial::Adopt);
    assert_eq!(leaf1.driver.timeout.as_secs(), 10);
    assert!(config.warnings.is_empty());
}

#[test]
fn every_key_of_a_target_is_read() {
    let config = parse(
        "
tls: {cert: a.pem, key: b.pem, ca: c.pem, require-client-cert: true}
listen: 0.0.0.0:9339
models:
  lab: {path: models, modules: [lab], features: ['lab:x'], origin: lab}
targets:
  leaf2: {address: '10.0.0.2:57400, 10.0.0.3:57400', username: admin, password: $SECRET, tls-ca: ca.pem,
          timeout: 1m30s, model: lab, sync: merge, drift: report, initial: replace, ignore: [/system/clock],
          tags: [pod1], skip-verify: true, encoding: JSON_IETF, role: east}
limits: {message: 1MiB, pending: 3, subscriptions: 5, connections: 9, behind: 7}
retention: {transactions: 100000, days: 90}
",
    )
    .unwrap();
    let leaf2 = &config.targets["leaf2"];
    assert_eq!(leaf2.driver.addresses, ["10.0.0.2:57400", "10.0.0.3:57400"]);
    assert_eq!(leaf2.driver.password.as_deref(), Some("hunter2"));
    assert_eq!(leaf2.driver.tls_ca.as_deref(), Some(Path::new("/etc/lockstep/ca.pem")));
    assert_eq!(leaf2.driver.timeout.as_secs(), 90);
    assert_eq!(
        (leaf2.initial, leaf2.tags.as_slice()),
        (Initial::Replace, &["pod1".to_owned()][..])
    );
    assert_eq!((config.limits.message, config.pending), (1 << 20, 3));
    assert_eq!((config.limits.subscriptions, config.limits.behind), (5, 7));
    assert_eq!(config.limits.connections, 9);
    assert!(config.tls.is_some_and(|tls| tls.require_client_cert));
    let Retention { transactions, age, step } = config.retention;
    assert_eq!((transactions, age, step), (100_000, 90 * 86_400_000_000_000, 1_000));
    assert_eq!(config.warnings.len(), 0, "{:?}", config.warnings);
}

#[test]
fn an_unknown_key_names_the_nearest() {
    assert_eq!(error("lisen: x"), "unknown key `lisen`; did you mean `listen`?");
    let nested = "targets: {leaf1: {adress: x}}";
    assert_eq!(error(nested), "targets.leaf1: unknown key `adress`; did you mean `address`?");
    let far = error("limits: {zzz: 1}");
    assert_eq!(
        far,
        "limits: unknown key `zzz`; known keys: message, pending, subscriptions, connections, behind, rate"
    );
}

#[test]
fn values_come_from_the_environment() {
    let one = |value: &str| format!("insecure: true\nnode: '{value}'");
    assert_eq!(parse(&one("$SECRET")).unwrap().node.as_str(), "hunter2");
    assert_eq!(parse(&one("${SECRET}")).unwrap().node.as_str(), "hunter2");
    assert_eq!(parse(&one("$$SECRET")).unwrap().node.as_str(), "$SECRET");
    assert_eq!(parse(&one("a$SECRET")).unwrap().node.as_str(), "a$SECRET");
    assert_eq!(error(&one("$OTHER")), "node takes its value from $OTHER, which is not set");
}

#[test]
fn numbers_come_from_the_environment_too() {
    let environment = |name: &str| (name == "N").then(|| "12".to_owned());
    let text = format!("{SMALL}\nlimits: {{pending: $N, message: $N}}\nretention: {{days: $N}}");
    let config = Config::parse(&text, Path::new("."), &environment).unwrap();
    assert_eq!((config.limits.message, config.pending), (12, 12));
}

#[test]
fn a_text_needs_no_quotes() {
    let with = |more: &str| SMALL.replace("insecure: true}", &format!("insecure: true, {more}}}"));
    let config = parse(&with("password: 1234, username: 42, tags: [7, true]")).unwrap();
    let leaf1 = &config.targets["leaf1"];
    assert_eq!(leaf1.driver.password.as_deref(), Some("1234"));
    assert_eq!(leaf1.driver.username.as_deref(), Some("42"));
    assert_eq!(leaf1.tags, ["7", "true"]);
    let lossy = error(&with("password: 1.10"));
    assert_eq!(lossy, "targets.leaf1.password: is read as a number; put it in quotes");
    // YAML drops the zeros before anybody could keep them.
    assert!(error(&with("password: 0042")).ends_with("put it in quotes"));
    assert!(error(&with("timeout: 10")).ends_with("write it like `10s` or `1m30s`"));
    assert!(error(&with("password: [a]")).ends_with("is not a single value"));
}

#[test]
fn a_limit_of_nothing_is_none() {
    for limits in ["limits: {pending: 0}", "limits: {message: 0}", "limits: {message: 0MiB}"] {
        let wrong = error(&format!("{SMALL}\n{limits}"));
        assert!(wrong.starts_with("limits."), "{wrong}");
    }
    let wrong = error(&format!("{SMALL}\nretention: {{days: 0}}"));
    assert_eq!(wrong, "retention.days: 0 is not a whole number above 0");
    assert!(error("limits: {pending: many}").contains("\"many\" is not a whole number"));
}

#[test]
fn plaintext_stays_on_the_machine() {
    assert!(error("models: {}").starts_with("tls: is missing"));
    let open = error("insecure: true\nlisten: 0.0.0.0:9339");
    assert_eq!(
        open,
        "insecure: is refused on 0.0.0.0:9339, which others can reach; give `tls` instead"
    );
    let web = error("insecure: true\nhttp: 0.0.0.0:9340");
    assert!(web.contains("0.0.0.0:9340, which others can reach"), "{web}");
    assert!(error("insecure: true\ntls: {cert: a, key: b}").starts_with("insecure: goes without"));
    let nobody = error("tls: {cert: a, key: b, require-client-cert: true}");
    assert!(nobody.starts_with("tls.require-client-cert: goes with `tls.ca`"), "{nobody}");
}

#[test]
fn what_is_not_there_says_so() {
    let key = error(&format!("{SMALL}\nsecret-key-file: nowhere"));
    assert!(key.starts_with("secret-key-file: cannot read ") && key.contains("nowhere"), "{key}");
    let often = error(&SMALL.replace("insecure: true}", "insecure: true, drift-interval: 9ms}"));
    assert!(often.starts_with("targets.leaf1.drift-interval: is too short"), "{often}");
}

#[test]
fn wrong_values_say_where() {
    let with = |more: &str| SMALL.replace("insecure: true}", &format!("insecure: true, {more}}}"));
    assert_eq!(
        error(&with("timeout: soon")),
        "targets.leaf1.timeout: \"soon\" is not a time; write it like `10s` or `1m30s`"
    );
    assert_eq!(
        error(&with("model: lab-1.1")),
        "targets.leaf1.model: there is no model set `lab-1.1`; did you mean `lab-1.0`?"
    );
    assert_eq!(
        error(&with("initial: x")),
        "targets.leaf1.initial: `x` is not one of adopt, replace"
    );
    assert_eq!(error(&with("tls-cert: x")), "targets.leaf1: `tls-cert` and `tls-key` go together");
    assert!(error("listen: nowhere").starts_with("listen: \"nowhere\" is no address"));
    assert!(error("limits: {message: big}\ninsecure: true").starts_with("limits.message: "));
    assert!(error("a: [").starts_with("not YAML"));
}

#[test]
fn targets_come_from_gnmics_file_too() {
    let folder = tempfile::tempdir().unwrap();
    let gnmic = "username: admin\npassword: $SECRET\nlog: true\ntargets: {leaf2: {address: 10.0.0.2, tags: [pod1]}}";
    std::fs::write(folder.path().join("gnmic.yaml"), gnmic).unwrap();
    let environment = |name: &str| (name == "SECRET").then(|| "hunter2".to_owned());
    let read =
        |text: &str| Config::parse(text, folder.path(), &environment).map_err(|e| e.to_string());
    let config = read(&format!("{SMALL}\ntargets-file: gnmic.yaml")).unwrap();
    assert_eq!(config.targets.len(), 2);
    let leaf2 = &config.targets["leaf2"];
    assert_eq!(leaf2.driver.addresses, ["10.0.0.2:57400"]);
    assert_eq!(leaf2.driver.password.as_deref(), Some("hunter2"));
    assert!(config.warnings[0].ends_with("ignored: log"), "{:?}", config.warnings);
    let twice = SMALL.replace("leaf1", "leaf2");
    let twice = read(&format!("{twice}\ntargets-file: gnmic.yaml")).unwrap_err();
    assert!(twice.starts_with("targets.leaf2: is in the targets-file as well"), "{twice}");
    let missing = read(&format!("{SMALL}\ntargets-file: none.yaml")).unwrap_err();
    assert!(missing.starts_with("targets-file: "), "{missing}");
}

#[test]
fn a_store_may_be_on_etcd() {
    let with = |store: &str| format!("insecure: true\n{store}");
    let config =
        parse(&with("store: etcd://a:2379,b:2379/lab\nstore-user: me\nstore-password: $SECRET"));
    let StoreConfig::Etcd(options) = config.unwrap().store else { panic!("etcd") };
    assert_eq!(options.endpoints.len(), 2);
    assert_eq!(options.user.map(|user| user.password).as_deref(), Some("hunter2"));
    assert_eq!(error(&with("store-user: me")), "store-user: goes with a store on etcd");
    let half = error(&with("store: etcd://a:2379/lab\nstore-user: me"));
    assert_eq!(half, "store-user: and `store-password` go together");
    let gone = error(&with("store: etcd://a:2379/lab\nstore-tls: {ca: none.pem}"));
    assert!(gone.starts_with("store-tls.ca: cannot read /etc/lockstep/none.pem"), "{gone}");
    assert!(error(&with("store: etcd://")).starts_with("store: "));

    let compaction = |given: &str| {
        let config = parse(&with(&format!("store: etcd://a/lab\n{given}"))).unwrap();
        let StoreConfig::Etcd(options) = config.store else { panic!("etcd") };
        options.compaction.map(|every| every.as_secs())
    };
    assert_eq!(compaction(""), Some(300));
    assert_eq!(compaction("store-compaction: 10m"), Some(600));
    assert_eq!(compaction("store-compaction: off"), None);
    for (given, why) in [("5", "or `off`"), ("1m", "at least 2m"), ("never", "or `off`")] {
        let said = error(&with(&format!("store: etcd://a/lab\nstore-compaction: {given}")));
        assert!(said.starts_with("store-compaction: ") && said.contains(why), "{said}");
    }
    let folder = error(&with("store-compaction: off"));
    assert_eq!(folder, "store-compaction: goes with a store on etcd");
}

const HASH: &str = "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$Z1yjFUnZ7GmUM3OHN0ImDA";

#[test]
fn who_may_do_what_is_read() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("secret"), "a secret that is as long as it has to be\n")
        .unwrap();
    let text = format!(
        "{SMALL}
users:
  alice: {{password: '{HASH}', groups: [noc]}}
  bob: '{HASH}'
tokens:
  - {{issuer: ci, audience: lockstep, secret: secret, name: email}}
roles:
  noc: {{may: [read, operate], groups: [noc], tags: [pod1]}}
  ports: {{may: [read, change, read-secrets], users: [bob], targets: ['leaf*'], paths: ['/interfaces/**']}}
secret-paths: ['/**/password']
audit: {{file: audit.jsonl, reads: true}}
limits: {{rate: 50}}
"
    );
    let config = Config::parse(&text, folder.path(), &|_| None).unwrap();
    let Access { rules, files, secret_paths, audit, audit_reads, rate, .. } = config.access;
    assert_eq!(rules.users.keys().collect::<Vec<_>>(), ["alice", "bob"]);
    assert!(rules.users["alice"].groups.contains("noc"));
    assert_eq!(
        (rules.tokens[0].name.as_str(), rules.tokens[0].groups.as_str()),
        ("email", "groups")
    );
    assert_eq!(files, [folder.path().join("secret")]);
    assert_eq!(rules.roles.len(), 2);
    assert_eq!((secret_paths.len(), audit_reads, rate), (1, true, Some(50)));
    assert_eq!(audit, Some(AuditTo::File(folder.path().join("audit.jsonl"))));
    let log = parse(&format!("{SMALL}\naudit: log")).unwrap().access;
    assert_eq!((log.audit, log.audit_reads), (Some(AuditTo::Log), false));
    assert!(parse(SMALL).unwrap().access.rules.is_open());
}

#[test]
fn rules_that_could_not_be_meant_are_refused() {
    for (given, said) in [
        (
            "users: {alice: hunter2}",
            "users.alice.password: is no hash of a password; `lockstep user hash` makes one",
        ),
        (
            "users: {lockstep: hunter2}",
            "users: \"lockstep\" is no name for a user: it is empty or long, has control characters, or is the author of what nodes do by themselves",
        ),
        (
            "users: {alice: {pasword: x}}",
            "users.alice: unknown key `pasword`; did you mean `password`?",
        ),
        (
            "roles: {r: {may: [write], users: [a]}}",
            "roles.r.may: `write` is not one of read, change, operate, read-secrets",
        ),
        ("roles: {r: {users: [a]}}", "roles.r.may: is missing: it says what the role gives"),
        (
            "roles: {r: {may: [read]}}",
            "roles.r: `users` or `groups` has to say whose role it is; `*` is everybody's",
        ),
        (
            "roles: {r: {may: [operate], users: [a], paths: [/a]}}",
            "roles.r.may: operate is about whole targets; give it in a role without `paths`",
        ),
        (
            "roles: {r: {may: [read], users: [a], targets: []}}",
            "roles.r.targets: is an empty list, with which the role would give nothing; leave it out for all of them, or remove the role",
        ),
        (
            "roles: {r: {may: [read], users: [a], paths: ['/m:a']}}",
            "roles.r.paths[0]: `m:a`: leave the module out; a name stands for nodes of every module",
        ),
        (
            "secret-paths: ['/a*']",
            "secret-paths[0]: `a*`: `*` and `**` stand for whole levels, not for part of a name",
        ),
        ("tokens: [{issuer: a, audience: b}]", "tokens[0]: give one of `key`, `jwks` and `secret`"),
        (
            "tokens: [{issuer: '', audience: b, key: x}]",
            "tokens[0]: `issuer` and `audience` say which tokens are meant for us",
        ),
        ("limits: {rate: 0}", "limits.rate: 0 is not a whole number above 0"),
    ] {
        assert_eq!(error(&format!("{SMALL}\n{given}")), said);
    }
    let none = error(&format!("{SMALL}\ntokens: [{{issuer: a, audience: b, jwks: none.json}}]"));
    assert!(none.starts_with("tokens[0].jwks: cannot read /etc/lockstep/none.json"), "{none}");
}

/// What is wrong with a file goes into logs and answers; what it says may be a password.
#[test]
fn no_value_is_in_an_error_of_syntax() {
    for text in [
        "store-password: hunter2\nusers: {alice: hunter2\nlisten: x\n",
        "store-password: hunter2\n  listen: x\n",
        "store-password: \"hunter2\nlisten: x\n",
        "store-password: hunter2\nstore-password: hunter2\n",
        "a: 1\nstore-password: hunter2: x\n",
        "store-password: [hunter2, 'x\n",
        "users:\n  alice: hunter2\n bob: hunter2\n",
    ] {
        let why = error(text);
        assert!(why.starts_with("not YAML: ") && why.contains("line "), "{why}");
        assert!(why.contains("column "), "{why}");
        assert!(!why.contains("hunter2"), "{why}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gnmic.yaml");
    std::fs::write(&path, "password: hunter2\ntargets: {leaf1: [\n").unwrap();
    let why = super::targets_of_gnmic(&path).unwrap_err().to_string();
    assert!(why.contains("line ") && !why.contains("hunter2"), "{why}");
}

#[test]
fn no_password_is_in_an_error_of_its_kind() {
    for (text, value, said) in [
        (
            "store-password: 4711",
            "4711",
            "store-password: invalid type: integer, expected a string",
        ),
        ("users: {alice: 4711}", "4711", "users.alice: invalid type: integer, expected "),
        ("users: hunter2", "hunter2", "users: invalid type: string, expected a map"),
        ("users: {alice: {password: true}}", "true", "users.alice.password: invalid type: boolean"),
        ("insecure: true\nusers: {alice: hunter2}", "hunter2", "users.alice"),
        ("targets: {leaf1: {address: x, password: 47.11}}", "47.11", "put it in quotes"),
    ] {
        let why = error(text);
        assert!(why.contains(said) && !why.contains(value), "{text}: {why}");
    }
}

/// Every key with its example, as the file that they are read into says it.
fn examples() -> Vec<(&'static str, String, &'static str)> {
    let (mut found, mut of, mut example) = (Vec::new(), "", None);
    for line in include_str!("file.rs").lines() {
        if let Some(rest) = line.strip_prefix("pub(super) struct ") {
            of = rest.trim_end_matches(" {");
        } else if let Some(rest) = line.trim_start().strip_prefix("/// Example: `") {
            example = rest.strip_suffix('`');
        } else if let Some(rest) = line.strip_prefix("    pub(super) ")
            && let Some((key, example)) = rest.split(':').next().zip(example.take())
        {
            found.push((of, key.replace('_', "-"), example));
        }
    }
    found
}

#[test]
fn every_example_is_read() {
    let found = examples();
    assert!(found.len() > 70, "{}", found.len());
    for (of, key, example) in found {
        let (before, needed, after) = match of {
            "File" => ("", "", ""),
            "Tls" => ("tls: {", "cert: a, key: b", "}"),
            "StoreTls" => ("store-tls: {", "ca: a", "}"),
            "Models" => ("models: {m: {", "path: a", "}}"),
            "Target" => ("targets: {t: {", "address: \"a:1\"", "}}"),
            "User" => ("users: {u: {", "password: a", "}}"),
            "Token" => ("tokens: [{", "issuer: a, audience: b", "}]"),
            "Role" => ("roles: {r: {", "", "}}"),
            "Audit" => ("audit: {", "file: a", "}"),
            "Retention" => ("retention: {", "", "}"),
            "Limits" => ("limits: {", "", "}"),
            other => panic!("{other} is not known here"),
        };
        let others = needed.split(", ").filter(|one| !one.starts_with(&format!("{key}:")));
        let others: Vec<&str> = others.filter(|one| !one.is_empty()).collect();
        let inside = [others, vec![&format!("{key}: {example}")]].concat().join(", ");
        let text = format!("{before}{inside}{after}");
        let tree = super::tree(&text, &|_| Some("x".to_owned())).unwrap();
        if let Err(problem) = super::file::read(tree) {
            panic!("{text}: {problem}");
        }
    }
}
