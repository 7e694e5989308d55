//! Rules that may change while the node runs.
//!
//! As with certificates: whoever asks sees to it that the files are those that were read, at most once a
//! second. Files that cannot be used leave the rules before them in force. So do files that would ask
//! nobody who they are any more, or have no roles any more: half a file looks like that, and whoever means
//! it can start the node again.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime};

use crate::access::{Rules, Source};

/// How long rules that are not in force any more may be.
const OFTEN: Duration = Duration::from_secs(1);

/// What files were like when they were read.
type Stamp = Vec<Option<(SystemTime, u64)>>;

/// The rules in force.
#[derive(Debug)]
pub(super) struct Reload {
    source: Option<Source>,
    current: RwLock<Arc<Rules>>,
    seen: Mutex<Seen>,
    /// Somebody looks already.
    looking: AtomicBool,
}

#[derive(Debug)]
struct Seen {
    files: Vec<PathBuf>,
    /// None: they were read at some time before, and may have changed since.
    stamp: Option<Stamp>,
    next: Instant,
}

impl Reload {
    pub(super) fn new(rules: Rules, files: Vec<PathBuf>, source: Option<Source>) -> Self {
        let seen = Seen { files, stamp: None, next: Instant::now() };
        let (current, looking) = (RwLock::new(Arc::new(rules)), AtomicBool::new(false));
        Self { source, current, seen: Mutex::new(seen), looking }
    }

    /// The rules in force.
    pub(super) fn current(&self) -> Arc<Rules> {
        if let Some(source) = &self.source
            && !self.looking.swap(true, Ordering::AcqRel)
        {
            self.look(source, Instant::now());
            self.looking.store(false, Ordering::Release);
        }
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn look(&self, source: &Source, now: Instant) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if now < seen.next {
            return;
        }
        seen.next = now + OFTEN;
        let found = Some(stamp(&seen.files));
        if found == seen.stamp {
            return;
        }
        // Not tried again until they change again: the reason would only be told once more.
        let before = std::mem::replace(&mut seen.stamp, found);
        match (source.read)().and_then(|(rules, files)| Ok((self.acceptable(rules)?, files))) {
            Ok((rules, files)) => {
                if before.is_some() {
                    tracing::info!("users, tokens and roles were read again");
                }
                seen.stamp = Some(stamp(&files));
                seen.files = files;
                *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(rules);
            }
            Err(error) => {
                tracing::warn!(
                    error,
                    "the new users, tokens and roles cannot be used; the old ones are"
                );
            }
        }
    }

    fn acceptable(&self, rules: Rules) -> Result<Rules, String> {
        let before = self.current.read().unwrap_or_else(PoisonError::into_inner);
        if before.is_open() != rules.is_open() || before.roles.is_empty() != rules.roles.is_empty()
        {
            return Err("whether anybody is asked, and whether there are roles, changes with a restart alone".into());
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

    use super::*;
    use crate::access::User;

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

    #[test]
    fn what_can_be_used_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("names");
        std::fs::write(&file, "alice").unwrap();
        let reload = reload(&file);
        let mut now = Instant::now();
        let mut after = |text: &str| {
            std::fs::write(&file, text).unwrap();
            now += OFTEN * 2;
            reload.look(reload.source.as_ref().unwrap(), now);
            reload.current.read().unwrap().users.keys().cloned().collect::<Vec<_>>()
        };
        assert_eq!(after("alice bob"), ["alice", "bob"]);
        assert_eq!(after("alice bob dan"), ["alice", "bob", "dan"]);
        assert_eq!(after("alice bob"), ["alice", "bob"]);
        assert_eq!(after("!"), ["alice", "bob"]);
        // Half a file would let everybody in.
        assert_eq!(after(""), ["alice", "bob"]);
        assert_eq!(after("bob carol"), ["bob", "carol"]);
    }
}
