//! Rules that may change while the node runs.
//!
//! Once a second somebody looks whether the files are those that were read, on a thread where that may take its time:
//! they may lie on a disk that is slow, and name hosts that have to be looked up. Files that cannot be used leave the rules
//! before them in force, and are tried again. So do files that would ask nobody who they are any more, or have no roles any
//! more: half a file looks like that, and whoever means it can start the node again. The other way round, from the first
//! user or role on, rules only let in less.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use tokio::time::{MissedTickBehavior, interval};

use crate::access::{Rules, Source};

/// How often the files are looked at.
const OFTEN: Duration = Duration::from_secs(1);

/// What files were like when they were read.
type Stamp = Vec<Option<(SystemTime, u64)>>;

/// The rules in force.
#[derive(Debug)]
pub(super) struct Reload {
    source: Option<Source>,
    current: RwLock<Arc<Rules>>,
    seen: Mutex<Seen>,
}

#[derive(Debug)]
struct Seen {
    files: Vec<PathBuf>,
    /// What they were like before they were read: what changes meanwhile is seen the next time. None: they
    /// are to be read again in any case.
    stamp: Option<Stamp>,
    /// Why they could not be used the last time.
    wrong: Option<String>,
}

impl Seen {
    /// They cannot be used. Whether that is to be told: it is tried again often, for the same reason.
    fn fails(&mut self, error: &str) -> bool {
        self.stamp = None;
        self.wrong.replace(error.to_owned()).as_deref() != Some(error)
    }

    /// They were read, and are these by now. Whether that is to be told.
    fn succeeds(&mut self, before: Stamp, files: Vec<PathBuf>) -> bool {
        // What was not among them was not looked at before it was read.
        let stamp = (files == self.files).then_some(before);
        self.files = files;
        let again = std::mem::replace(&mut self.stamp, stamp).is_some();
        self.wrong.take().is_some() || again
    }
}

impl Reload {
    pub(super) fn new(rules: Rules, files: Vec<PathBuf>, source: Option<Source>) -> Self {
        let seen = Mutex::new(Seen { files, stamp: None, wrong: None });
        let reload = Self { source, current: RwLock::new(Arc::new(rules)), seen };
        // What changed before is in force from the first call on.
        reload.look();
        reload
    }

    /// Looks again and again, until nobody needs the rules any more.
    pub(super) fn keep_up(self: &Arc<Self>) {
        if self.source.is_none() {
            return;
        }
        let reload = Arc::downgrade(self);
        tokio::spawn(async move {
            let mut ticks = interval(OFTEN);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                let Some(reload) = reload.upgrade() else { return };
                // One that was cut off is made up for by the next.
                let _cut_off = tokio::task::spawn_blocking(move || reload.look()).await;
            }
        });
    }

    /// The rules in force.
    pub(super) fn current(&self) -> Arc<Rules> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn look(&self) {
        let Some(source) = &self.source else { return };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let found = stamp(&seen.files);
        if seen.stamp.as_ref() == Some(&found) {
            return;
        }
        match (source.read)().and_then(|(rules, files)| Ok((self.acceptable(rules)?, files))) {
            Ok((rules, files)) => {
                if seen.succeeds(found, files) {
                    tracing::info!("users, tokens and roles were read again");
                }
                *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(rules);
            }
            Err(error) => {
                if seen.fails(&error) {
                    tracing::warn!(
                        error,
                        "the new users, tokens and roles cannot be used; the old ones are"
                    );
                }
            }
        }
    }

    fn acceptable(&self, rules: Rules) -> Result<Rules, String> {
        let before = self.current.read().unwrap_or_else(PoisonError::into_inner);
        if rules.is_open() && !before.is_open() {
            return Err("they would ask nobody who they are any more, which takes a restart".into());
        }
        if rules.roles.is_empty() && !before.roles.is_empty() {
            return Err(
                "they would give everybody all rights, without any role, which takes a restart"
                    .into(),
            );
        }
        Ok(rules)
    }
}

fn stamp(files: &[PathBuf]) -> Stamp {
    let of = |path: &PathBuf| {
        let metadata = std::fs::metadata(path).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    };
    files.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::access::{Glob, Right, Role, User};

    fn rules(names: &[&str]) -> Rules {
        let user = |name: &&str| {
            ((*name).to_owned(), User { hash: String::new(), groups: BTreeSet::new() })
        };
        Rules { users: names.iter().map(user).collect(), ..Rules::default() }
    }

    /// Rules that are the names in a file.
    fn reload(file: &std::path::Path) -> Reload {
        let file = file.to_owned();
        let files = vec![file.clone()];
        let read = move || {
            let text = std::fs::read_to_string(&file).map_err(|error| error.to_string())?;
            if text.contains('!') {
                return Err("no".into());
            }
            let names: Vec<&str> = text.split_whitespace().collect();
            Ok((rules(&names), vec![file.clone()]))
        };
        let source = Source { read: Arc::new(read) };
        Reload::new(rules(&["alice"]), files, Some(source))
    }

    /// A node that starts again does so with the rules of now, not with those of its first start.
    #[test]
    fn what_changed_before_is_seen_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("names");
        std::fs::write(&file, "bob").unwrap();
        let current = reload(&file).current();
        assert_eq!(current.users.keys().collect::<Vec<_>>(), ["bob"]);
    }

    /// Nobody who calls has to wait for it, nor has to call for it.
    #[tokio::test]
    async fn it_is_kept_up_with() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("names");
        std::fs::write(&file, "alice").unwrap();
        let reload = Arc::new(reload(&file));
        std::fs::write(&file, "alice bob").unwrap();
        reload.keep_up();
        while in_force(&reload) != ["alice", "bob"] {
            tokio::task::yield_now().await;
        }
    }

    #[test]
    fn what_can_be_used_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("names");
        std::fs::write(&file, "alice").unwrap();
        let reload = reload(&file);
        let after = |text: &str| {
            std::fs::write(&file, text).unwrap();
            names(&reload)
        };
        assert_eq!(after("alice bob"), ["alice", "bob"]);
        assert_eq!(after("alice bob dan"), ["alice", "bob", "dan"]);
        assert_eq!(after("alice bob"), ["alice", "bob"]);
        assert_eq!(after("!"), ["alice", "bob"]);
        // Half a file would let everybody in.
        assert_eq!(after(""), ["alice", "bob"]);
        assert_eq!(after("bob carol"), ["bob", "carol"]);
    }

    #[test]
    fn the_first_user_and_the_first_role_count_at_once_and_the_last_ones_stay() {
        let role = Role {
            name: "look".into(),
            may: [Right::Read].into(),
            users: vec![Glob::new("*")],
            groups: Vec::new(),
            targets: Vec::new(),
            tags: BTreeSet::new(),
            paths: Vec::new(),
        };
        let (open, known) = (Rules::default(), rules(&["alice"]));
        let ruled = Rules { roles: vec![role], ..known.clone() };
        let reload = Reload::new(open.clone(), Vec::new(), None);
        let take = |rules: &Rules| {
            let accepted = reload.acceptable(rules.clone());
            accepted.map(|rules| *reload.current.write().unwrap() = Arc::new(rules))
        };
        assert!(take(&known).is_ok() && take(&ruled).is_ok());
        assert!(take(&known).unwrap_err().contains("without any role"));
        assert!(take(&open).unwrap_err().contains("nobody who they are"));
        assert!(take(&ruled).is_ok());
    }

    /// Rules that are the names in some files, which are read one after the other; after each is read, and
    /// before anybody looks at it again, something else may happen to it.
    fn meddled(
        files: &[PathBuf],
        known: usize,
        meddle: impl Fn(&std::path::Path) + Send + Sync + 'static,
    ) -> Reload {
        let all = files.to_vec();
        let read = move || {
            let mut names = Vec::new();
            for file in &all {
                let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
                names.extend(text.split_whitespace().map(str::to_owned));
                meddle(file);
            }
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            Ok((rules(&names), all.clone()))
        };
        let source = Source { read: Arc::new(read) };
        Reload::new(rules(&["alice"]), files[..known].to_vec(), Some(source))
    }

    fn names(reload: &Reload) -> Vec<String> {
        reload.look();
        in_force(reload)
    }

    fn in_force(reload: &Reload) -> Vec<String> {
        reload.current().users.keys().cloned().collect()
    }

    #[test]
    fn what_changes_while_it_is_read_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let files = ["first", "second"].map(|name| folder.path().join(name));
        // The second may be one that was not known of before.
        for known in [2, 1] {
            std::fs::write(&files[0], "alice").unwrap();
            std::fs::write(&files[1], "bob").unwrap();
            let second = files[1].clone();
            let reload = meddled(&files, known, move |file| {
                if file == second {
                    std::fs::write(file, "carol").unwrap();
                }
            });
            assert_eq!(in_force(&reload), ["alice", "bob"]);
            assert_eq!(names(&reload), ["alice", "carol"], "{known} known before");
        }
    }

    #[test]
    fn what_failed_is_tried_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("names");
        std::fs::write(&file, "alice bob").unwrap();
        let (ready, reads) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(0)));
        let (is_ready, counted, of) = (Arc::clone(&ready), Arc::clone(&reads), file.clone());
        let read = move || {
            *counted.lock().unwrap() += 1;
            // As when a variable or another file is not there yet.
            let ready = is_ready.load(Ordering::Acquire);
            ready.then(|| (rules(&["bob"]), vec![of.clone()])).ok_or_else(|| "not yet".into())
        };
        let source = Source { read: Arc::new(read) };
        let reload = Reload::new(rules(&["alice"]), vec![file], Some(source));
        assert_eq!(in_force(&reload), ["alice"]);
        ready.store(true, Ordering::Release);
        assert_eq!(names(&reload), ["bob"]);
        assert_eq!(names(&reload), ["bob"]);
        assert_eq!(*reads.lock().unwrap(), 2, "what did not change is not read");
    }

    #[test]
    fn a_reason_is_told_once() {
        let files = vec![PathBuf::from("names")];
        let mut seen = Seen { files: files.clone(), stamp: Some(vec![None]), wrong: None };
        assert!(seen.fails("no") && !seen.fails("no") && seen.fails("never") && seen.fails("no"));
        assert!(
            seen.succeeds(vec![None], files.clone()),
            "it was told that they could not be used"
        );
        assert!(seen.fails("no"), "once more, after it was right");
        assert!(seen.succeeds(vec![None], files.clone()) && seen.succeeds(vec![None], files));
        assert!(seen.succeeds(vec![None, None], Vec::new()) && !seen.succeeds(vec![], Vec::new()));
    }
}
