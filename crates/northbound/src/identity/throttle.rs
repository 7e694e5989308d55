//! Whoever guesses passwords is made to wait, longer each time.
//!
//! Counted by name and address together, so that nobody is locked out by a stranger elsewhere, and by
//! address alone with more patience, so that many names from one place are no way around that.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// So many mistakes with one name are for free.
const TYPOS: u32 = 3;
/// So many with any names from one address.
const STRANGE: u32 = 20;
/// The first wait; doubles each time, up to the next.
const FIRST: Duration = Duration::from_secs(1);
/// The longest wait.
const LONGEST: Duration = Duration::from_secs(60);
/// For so long after the last mistake all are held against somebody.
const FORGIVEN: Duration = Duration::from_secs(900);
/// So many are remembered; beyond, the quarter whose last mistakes are the oldest is forgotten.
const MEMORY: usize = 4096;

/// By name and address, or by address alone.
type Who = (Option<String>, IpAddr);

#[derive(Clone, Copy, Debug)]
struct Mistakes {
    count: u32,
    last: Instant,
}

/// Who made how many mistakes.
#[derive(Debug, Default)]
pub(crate) struct Throttle(Mutex<BTreeMap<Who, Mistakes>>);

impl Throttle {
    /// How long somebody has to wait before the next try; none: not at all.
    pub(crate) fn wait(&self, name: &str, from: IpAddr, now: Instant) -> Option<Duration> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let left = |who: &Who, free: u32| {
            let mistakes = known.get(who)?;
            let until = mistakes.last + delay(mistakes.count, free)?;
            until.checked_duration_since(now).filter(|left| !left.is_zero())
        };
        left(&(Some(name.to_owned()), from), TYPOS).max(left(&(None, from), STRANGE))
    }

    /// Somebody was wrong.
    pub(crate) fn wrong(&self, name: &str, from: IpAddr, now: Instant) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for who in [(Some(name.to_owned()), from), (None, from)] {
            if known.len() >= MEMORY && !known.contains_key(&who) {
                forget(&mut known, now);
            }
            let mistakes = known.entry(who).or_insert(Mistakes { count: 0, last: now });
            if now.duration_since(mistakes.last) > FORGIVEN {
                mistakes.count = 0;
            }
            *mistakes = Mistakes { count: mistakes.count.saturating_add(1), last: now };
        }
    }

    /// Somebody was right. What others did from there is not forgotten.
    pub(crate) fn right(&self, name: &str, from: IpAddr) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.remove(&(Some(name.to_owned()), from));
    }
}

fn delay(count: u32, free: u32) -> Option<Duration> {
    let beyond = count.checked_sub(free)?;
    let factor = 1_u32.checked_shl(beyond).unwrap_or(u32::MAX);
    Some(FIRST.saturating_mul(factor).min(LONGEST))
}

fn forget(known: &mut BTreeMap<Who, Mistakes>, now: Instant) {
    known.retain(|_, mistakes| now.duration_since(mistakes.last) <= FORGIVEN);
    if known.len() >= MEMORY {
        let mut times: Vec<Instant> = known.values().map(|mistakes| mistakes.last).collect();
        let (_, &mut cut, _) = times.select_nth_unstable(MEMORY / 4);
        let mut over = MEMORY / 4;
        known.retain(|_, mistakes| {
            let goes = mistakes.last <= cut && over > 0;
            over -= usize::from(goes);
            !goes
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
    const THERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));

    #[test]
    fn the_wait_grows_with_each_mistake() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        let mut waits = Vec::new();
        for _ in 0..12 {
            throttle.wrong("alice", HERE, now);
            waits.push(throttle.wait("alice", HERE, now).map_or(0, |wait| wait.as_secs()));
        }
        assert_eq!(waits, [0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60]);
        assert_eq!(throttle.wait("alice", HERE, now + LONGEST), None);
        // Others, and she herself elsewhere, are left alone.
        assert_eq!(throttle.wait("bob", HERE, now), None);
        assert_eq!(throttle.wait("alice", THERE, now), None);
        throttle.right("alice", HERE);
        assert_eq!(throttle.wait("alice", HERE, now), None);
    }

    #[test]
    fn many_names_from_one_address_are_one_guesser() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        for number in 0..STRANGE + 2 {
            throttle.wrong(&format!("user{number}"), HERE, now);
        }
        assert_eq!(throttle.wait("alice", HERE, now), Some(FIRST * 4));
        assert_eq!(throttle.wait("alice", THERE, now), None);
    }

    #[test]
    fn mistakes_are_forgiven_in_time() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        (0..10).for_each(|_| throttle.wrong("alice", HERE, now));
        let later = now + FORGIVEN + FIRST;
        throttle.wrong("alice", HERE, later);
        assert_eq!(throttle.wait("alice", HERE, later), None);
    }

    #[test]
    fn memory_is_bounded() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        for number in 0..2 * u32::try_from(MEMORY).unwrap() {
            let from = IpAddr::V4(number.into());
            throttle.wrong("alice", from, now + Duration::from_millis(number.into()));
        }
        assert!(throttle.0.lock().unwrap().len() <= MEMORY);
    }
}
