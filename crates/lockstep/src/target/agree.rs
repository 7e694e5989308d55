//! What is asked before a device, or what is wanted of it, becomes another: with a look at what that is.

use lockstep_gnmi::proto::lockstep::v1::{DiffRequest, DiffResponse, Target};
use tonic::Status;

use super::known::known;
use crate::cli::{Failed, Global};
use crate::client::Client;
use crate::diff::{self, Side};
use crate::{ask, terminal};

/// How many changes are shown.
const SHOWN: usize = 20;

/// What a target is told to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Resume,
    Sync,
    Adopt,
    Claim,
}

impl Order {
    /// The same for a node.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Resume => "resume",
            Self::Sync => "sync",
            Self::Adopt => "adopt",
            Self::Claim => "claim",
        }
    }

    /// From what to what something becomes; none: nobody can tell before.
    fn sides(self) -> Option<(Side, Side)> {
        match self {
            Self::Resume => Some((Side::DEVICE, Side::COMMITTED)),
            Self::Sync => Some((Side::DEVICE, Side::APPLIED)),
            Self::Adopt => Some((Side::COMMITTED, Side::DEVICE)),
            Self::Claim => None,
        }
    }

    fn begin(self, name: &str) -> String {
        match self {
            Self::Resume => format!("resume {name}?"),
            Self::Sync => format!("bring {name} in line?"),
            Self::Adopt => format!("adopt what {name} has?"),
            Self::Claim => format!("take {name} over from whoever it listens to now?"),
        }
    }

    /// What it does, and to what.
    fn does(self) -> (&'static str, &'static str) {
        match self {
            Self::Adopt => ("record", "as what is wanted of it"),
            Self::Resume | Self::Sync | Self::Claim => ("write", "to the device"),
        }
    }
}

/// Asks, if anything would become of it, or if that cannot be told. A target that is not there is an error before.
pub(super) async fn agree(
    order: Order,
    name: &str,
    client: &Client,
    global: &Global,
) -> Result<(), Failed> {
    if !ask::is_needed(global) {
        return Ok(());
    }
    let target = known(name, client).await?;
    if order == Order::Resume && target.as_ref().is_some_and(|target| target.state != "paused") {
        return Ok(());
    }
    match order.sides() {
        None => ask::agree(&stands(order, name, target.as_ref())),
        Some((from, to)) => {
            let found = difference(name, &from, &to, client).await;
            question(order, name, &found).map_or(Ok(()), |question| ask::agree(&question))
        }
    }
}

/// Where two sides of a target differ, of which the first lines are shown; or why that cannot be told.
pub(super) async fn difference(
    name: &str,
    from: &Side,
    to: &Side,
    client: &Client,
) -> Result<DiffResponse, Status> {
    let request =
        DiffRequest { from: Some(from.of(name)), to: Some(to.of(name)), path: Vec::new() };
    let found = client.admin().diff(request).await?.into_inner();
    for text in diff::lines(None, &found.changes).iter().take(SHOWN) {
        eprintln!("{}", terminal::aside(text));
    }
    Ok(found)
}

/// What to ask where all that can be told is how it stands now.
fn stands(order: Order, name: &str, target: Option<&Target>) -> String {
    let said = match target {
        None => "How it stands is not for you to read".to_owned(),
        Some(Target { state, reason, .. }) if reason.is_empty() => format!("It is {state}"),
        Some(Target { state, reason, .. }) => format!("It is {state}: {reason}"),
    };
    format!("{} {said}", order.begin(name))
}

/// What to ask; none: nothing would become of it.
fn question(order: Order, name: &str, found: &Result<DiffResponse, Status>) -> Option<String> {
    let (verb, end) = order.does();
    becomes(verb, end, found).map(|said| format!("{} {said}", order.begin(name)))
}

/// What becomes of a difference; none: there is none.
pub(super) fn becomes(
    verb: &str,
    end: &str,
    found: &Result<DiffResponse, Status>,
) -> Option<String> {
    Some(match found {
        Err(status) => format!("What that {verb}s {end} cannot be told: {}", status.message()),
        Ok(found) => {
            let count = diff::lines(None, &found.changes).len();
            match (count, found.secrets) {
                (0, 0) => return None,
                (0, _) => format!("It may {verb} secrets, which you may not read, {end}"),
                (1, _) => format!("It {verb}s this change {end}"),
                (count, _) if count > SHOWN => {
                    format!("It {verb}s {count} changes {end}, of which these are the first")
                }
                (count, _) => format!("It {verb}s these {count} changes {end}"),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use lockstep_gnmi::proto::lockstep::v1::Change;

    use super::*;

    fn found(paths: usize, secrets: u64) -> Result<DiffResponse, Status> {
        let change =
            |n| Change { path: format!("/a{n}"), after: Some("1".into()), ..Change::default() };
        Ok(DiffResponse { changes: (0..paths).map(change).collect(), secrets })
    }

    #[test]
    fn nobody_is_asked_where_nothing_is_written() {
        assert_eq!(question(Order::Resume, "leaf1", &found(0, 0)), None);
        let said = |found| question(Order::Resume, "leaf1", &found).unwrap();
        assert_eq!(said(found(1, 0)), "resume leaf1? It writes this change to the device");
        assert_eq!(said(found(2, 1)), "resume leaf1? It writes these 2 changes to the device");
        assert!(said(found(21, 0)).contains("21 changes"));
        assert!(said(found(0, 1)).contains("secrets"));
        assert!(said(Err(Status::unavailable("it is away"))).ends_with("it is away"));
    }

    #[test]
    fn each_order_says_what_it_does() {
        let said = |order| question(order, "leaf1", &found(1, 0)).unwrap();
        assert_eq!(said(Order::Sync), "bring leaf1 in line? It writes this change to the device");
        assert_eq!(
            said(Order::Adopt),
            "adopt what leaf1 has? It records this change as what is wanted of it"
        );
        let target = |reason: &str| Target {
            name: "leaf1".into(),
            state: "failed".into(),
            reason: reason.into(),
            ..Target::default()
        };
        let claim = |target: Option<&Target>| stands(Order::Claim, "leaf1", target);
        assert_eq!(
            claim(Some(&target("foreign master"))),
            "take leaf1 over from whoever it listens to now? It is failed: foreign master"
        );
        assert!(claim(Some(&target(""))).ends_with("It is failed"));
        assert!(
            claim(None)
                .ends_with("from whoever it listens to now? How it stands is not for you to read")
        );
    }
}
