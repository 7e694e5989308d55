//! The audit, on a disk that behaves and on one that does not.

use std::path::Path;

use super::*;

fn line<'a>(identity: &'a Identity, action: &'a str) -> Line<'a> {
    Line { identity, address: None, action, noted: Noted::default(), code: Code::Ok }
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn a_line_is_there_when_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let audit = Audit::open(AuditTo::File(path.clone())).unwrap();
    let identity = Identity { name: "alice \"\n".into(), ..Identity::nobody() };
    let mut one = line(&identity, "Set");
    let paths = BTreeSet::from(["/a".parse().unwrap()]);
    one.noted.targets.insert(Target::new("leaf1").unwrap(), paths);
    one.noted.transaction = Some(("x".into(), 7));
    audit.write(one).await;
    let [written] = &lines(&path)[..] else { panic!("one line") };
    assert_eq!(written["identity"], "alice \"\n");
    assert_eq!((&written["action"], &written["outcome"]), (&json!("Set"), &json!("OK")));
    assert_eq!((&written["id"], &written["index"]), (&json!("x"), &json!(7)));
    assert_eq!(written["targets"], json!({"leaf1": ["/a"]}));
}

#[tokio::test]
async fn a_file_that_was_moved_away_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let (path, old) = (folder.path().join("audit"), folder.path().join("audit.1"));
    let audit = Audit::open(AuditTo::File(path.clone())).unwrap();
    let nobody = Identity::nobody();
    audit.write(line(&nobody, "One")).await;
    std::fs::rename(&path, &old).unwrap();
    audit.write(line(&nobody, "Two")).await;
    audit.reopen().await;
    audit.write(line(&nobody, "Three")).await;
    let actions = |path| lines(path).iter().map(|line| line["action"].clone()).collect::<Vec<_>>();
    assert_eq!(actions(&old), ["One", "Two"]);
    assert_eq!(actions(&path), ["Three"]);
}

#[tokio::test]
async fn a_disk_that_is_full_is_noticed_and_nothing_is_lost() {
    // It takes no more than nothing.
    let audit = Audit::open(AuditTo::File("/dev/full".into())).unwrap();
    assert!(audit.works());
    audit.write(line(&Identity::nobody(), "Set")).await;
    assert!(!audit.works());
    let none = Audit::open(AuditTo::File("/nowhere/at/all".into()));
    assert!(none.is_err());
}

#[tokio::test]
async fn many_at_once_are_all_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit");
    let audit = Audit::open(AuditTo::File(path.clone())).unwrap();
    let all = (0..3 * QUEUE).map(|number| {
        let audit = audit.clone();
        async move {
            let action = number.to_string();
            audit.write(line(&Identity::nobody(), &action)).await;
        }
    });
    futures_util::future::join_all(all).await;
    let mut numbers: Vec<usize> =
        lines(&path).iter().map(|line| line["action"].as_str().unwrap().parse().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..3 * QUEUE).collect::<Vec<_>>());
}
