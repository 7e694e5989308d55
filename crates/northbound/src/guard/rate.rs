//! How many calls an identity may make: a bucket each, that fills up again in time.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// A bucket holds what comes in so many seconds, so that a moment of haste is no offence.
const SECONDS: f64 = 2.0;
/// So many buckets are kept; full ones are as good as none.
const BUCKETS: usize = 4096;

#[derive(Clone, Copy, Debug)]
struct Bucket {
    left: f64,
    at: Instant,
}

/// The buckets.
#[derive(Debug)]
pub(super) struct Rate {
    rate: u32,
    buckets: Mutex<BTreeMap<String, Bucket>>,
}

impl Rate {
    pub(super) fn new(rate: u32) -> Self {
        Self { rate, buckets: Mutex::default() }
    }

    fn size(&self) -> f64 {
        (f64::from(self.rate) * SECONDS).max(1.0)
    }

    fn level(&self, bucket: &Bucket, now: Instant) -> f64 {
        let since = now.saturating_duration_since(bucket.at).as_secs_f64();
        (bucket.left + since * f64::from(self.rate)).min(self.size())
    }

    /// Whether nothing is left in somebody's bucket; the rate, if so.
    pub(super) fn left(&self, who: &str, now: Instant) -> Result<(), u32> {
        let buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        match buckets.get(who) {
            Some(bucket) if self.level(bucket, now) < 1.0 => Err(self.rate),
            _ => Ok(()),
        }
    }

    /// Takes one call out of somebody's bucket; the rate, if it is empty.
    pub(super) fn take(&self, who: &str, now: Instant) -> Result<(), u32> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= BUCKETS && !buckets.contains_key(who) {
            buckets.retain(|_, bucket| self.level(bucket, now) < self.size());
            // All of them are at work, which none but an attack looks like. It is not worth more than this.
            if buckets.len() >= BUCKETS {
                buckets.clear();
            }
        }
        let bucket = buckets.entry(who.to_owned()).or_insert(Bucket { left: self.size(), at: now });
        let level = self.level(bucket, now);
        if level < 1.0 {
            return Err(self.rate);
        }
        *bucket = Bucket { left: level - 1.0, at: now };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_bucket_fills_up_again() {
        let (rate, now) = (Rate::new(5), Instant::now());
        let count =
            |who: &str, at: Instant| (0..100).filter(|_| rate.take(who, at).is_ok()).count();
        assert_eq!(count("alice", now), 10);
        assert_eq!(rate.take("alice", now), Err(5));
        assert_eq!((rate.left("alice", now), rate.left("bob", now)), (Err(5), Ok(())));
        assert_eq!(count("bob", now), 10);
        assert_eq!(count("alice", now + Duration::from_secs(1)), 5);
        assert_eq!(count("alice", now + Duration::from_secs(99)), 10);
    }

    #[test]
    fn memory_is_bounded() {
        let (rate, now) = (Rate::new(1), Instant::now());
        for number in 0..2 * BUCKETS {
            assert!(rate.take(&number.to_string(), now).is_ok());
        }
        assert!(rate.buckets.lock().unwrap().len() <= BUCKETS);
    }
}
