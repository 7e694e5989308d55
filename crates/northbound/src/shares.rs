//! So many of something at once, and no more than half of them to one.
//!
//! Half, so that nobody who has enough of their own can keep everybody else out.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is shared: subscriptions by identity, connections by network.
#[derive(Debug)]
pub(crate) struct Shares<Who: Ord> {
    count: usize,
    held: Arc<Mutex<Held<Who>>>,
}

// Not derived: that would ask it of whoever shares.
impl<Who: Ord> Clone for Shares<Who> {
    fn clone(&self) -> Self {
        Self { count: self.count, held: Arc::clone(&self.held) }
    }
}

#[derive(Debug)]
struct Held<Who: Ord> {
    all: usize,
    by: BTreeMap<Who, usize>,
}

/// One of them; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Share<Who: Ord> {
    who: Option<Who>,
    held: Arc<Mutex<Held<Who>>>,
}

/// Why there is none left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// All of them, which are so many.
    All(usize),
    /// Those of one, which are so many.
    Own(usize),
}

impl<Who: Ord + Clone> Shares<Who> {
    pub(crate) fn new(count: usize) -> Self {
        let held = Held { all: 0, by: BTreeMap::new() };
        Self { count, held: Arc::new(Mutex::new(held)) }
    }

    /// Takes one; for nobody in particular, of all of them.
    pub(crate) fn take(&self, who: Option<Who>) -> Result<Share<Who>, Taken> {
        let mut held = lock(&self.held);
        if held.all >= self.count {
            return Err(Taken::All(self.count));
        }
        if let Some(who) = &who {
            let most = self.count.div_ceil(2);
            let own = held.by.entry(who.clone()).or_default();
            if *own >= most {
                return Err(Taken::Own(most));
            }
            *own += 1;
        }
        held.all += 1;
        Ok(Share { who, held: Arc::clone(&self.held) })
    }
}

impl<Who: Ord> Drop for Share<Who> {
    fn drop(&mut self) {
        let mut held = lock(&self.held);
        held.all = held.all.saturating_sub(1);
        let Some(who) = &self.who else { return };
        if let Some(own) = held.by.get_mut(who) {
            *own = own.saturating_sub(1);
            if *own == 0 {
                held.by.remove(who);
            }
        }
    }
}

fn lock<Who: Ord>(held: &Mutex<Held<Who>>) -> MutexGuard<'_, Held<Who>> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_has_more_than_half() {
        let shares = Shares::new(5);
        let take = |who: &'static str| shares.take(Some(who));
        let alice = [take("alice").unwrap(), take("alice").unwrap(), take("alice").unwrap()];
        assert_eq!(take("alice").unwrap_err(), Taken::Own(3));
        let bob = [take("bob").unwrap(), take("bob").unwrap()];
        assert_eq!(take("bob").unwrap_err(), Taken::All(5));
        drop(alice);
        let others =
            [shares.take(None).unwrap(), shares.take(None).unwrap(), shares.take(None).unwrap()];
        assert_eq!(shares.take(None).unwrap_err(), Taken::All(5));
        drop((bob, others));
        assert!(lock(&shares.held).by.is_empty() && lock(&shares.held).all == 0);
    }
}
