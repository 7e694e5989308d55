//! Passwords: hashed with Argon2, verified away from the threads that serve, and not each time.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Argon2, Params};
use ring::hmac;
use ring::rand::SystemRandom;
use tokio::sync::Semaphore;

use crate::access::User;

/// How many are verified at once: each takes a processor, and the memory that its hash asks for.
const AT_ONCE: usize = 2;
/// How many may wait for that.
const WAITING: usize = 64;
/// How long a password that was right is not verified again.
const REMEMBERED: Duration = Duration::from_secs(300);
/// How many such passwords are remembered.
const MEMORY: usize = 1024;
/// The most memory that a hash may ask for, in KiB: verifying it is what a stranger makes us do.
const LARGEST: u32 = 256 << 10;

/// Why a hash cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HashError {
    /// Not a PHC string of Argon2.
    #[error("is no hash of a password; `lockstep user hash` makes one")]
    NoHash,
    /// It would take too much.
    #[error("asks for {0} KiB of memory each time; at most {LARGEST}")]
    Large(u32),
    /// None can be made.
    #[error("no hash can be made: {0}")]
    Failed(String),
}

/// The hash of a password, with a new salt, as a PHC string.
///
/// # Errors
/// The system has no random numbers.
pub fn hash(password: &str) -> Result<String, HashError> {
    let failed = |error: &dyn std::fmt::Display| HashError::Failed(error.to_string());
    let hash = Argon2::default().hash_password(password.as_bytes());
    hash.map(|hash| hash.to_string()).map_err(|error| failed(&error))
}

/// Whether passwords can be verified against a hash.
///
/// # Errors
/// They cannot.
pub fn check_hash(text: &str) -> Result<(), HashError> {
    let hash = PasswordHash::new(text).map_err(|_| HashError::NoHash)?;
    let is_argon2 = hash.algorithm.as_str().starts_with("argon2") && hash.hash.is_some();
    let params = Params::try_from(&hash).ok().filter(|_| is_argon2 && hash.salt.is_some());
    match params.ok_or(HashError::NoHash)?.m_cost() {
        memory if memory > LARGEST => Err(HashError::Large(memory)),
        _ => Ok(()),
    }
}

/// What a password turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Right,
    Wrong,
    /// Nobody looked: too many wait.
    Busy,
}

/// Verifies passwords.
#[derive(Clone, Debug)]
pub(crate) struct Passwords(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Those that were right, each as a digest that is of no use elsewhere, with when that is forgotten.
    right: Mutex<BTreeMap<[u8; 32], Instant>>,
    key: hmac::Key,
    free: Semaphore,
    waiting: Semaphore,
}

impl Passwords {
    /// None: the system has no random numbers.
    pub(crate) fn new() -> Option<Self> {
        let key = hmac::Key::generate(hmac::HMAC_SHA256, &SystemRandom::new()).ok()?;
        Some(Self(Arc::new(Inner {
            right: Mutex::default(),
            key,
            free: Semaphore::new(AT_ONCE),
            waiting: Semaphore::new(AT_ONCE + WAITING),
        })))
    }

    /// Whether this very password was right a moment ago, with this very hash.
    pub(crate) fn is_known(&self, user: &User, password: &str) -> bool {
        self.is_remembered(&self.digest(user, password))
    }

    /// Looks at a password; `still` is asked when it is its turn, for by then there may be no need, or it
    /// may not be wanted any more.
    pub(crate) async fn verify<E>(
        &self,
        user: &User,
        password: &str,
        still: impl Fn() -> Result<(), E>,
    ) -> Result<Verdict, E> {
        let Ok(_waiting) = self.0.waiting.try_acquire() else { return Ok(Verdict::Busy) };
        let Ok(_free) = self.0.free.acquire().await else { return Ok(Verdict::Busy) };
        let digest = self.digest(user, password);
        if self.is_remembered(&digest) {
            return Ok(Verdict::Right);
        }
        still()?;
        let right = hashes_to(user, password).await;
        if right {
            self.remember(digest);
        }
        Ok(if right { Verdict::Right } else { Verdict::Wrong })
    }

    /// Takes as long as that, for a user who is not there, and comes to nothing. What is remembered of others
    /// is not looked at: how long it takes would tell.
    pub(crate) async fn pretend<E>(
        &self,
        other: &User,
        password: &str,
        still: impl Fn() -> Result<(), E>,
    ) -> Result<Verdict, E> {
        let Ok(_waiting) = self.0.waiting.try_acquire() else { return Ok(Verdict::Busy) };
        let Ok(_free) = self.0.free.acquire().await else { return Ok(Verdict::Busy) };
        still()?;
        let _right = hashes_to(other, password).await;
        Ok(Verdict::Wrong)
    }

    fn digest(&self, user: &User, password: &str) -> [u8; 32] {
        let mut context = hmac::Context::with_key(&self.0.key);
        // A hash has no zero in it, so no two pairs run into each other. With the hash, so that a password
        // that was changed is forgotten.
        context.update(user.hash.as_bytes());
        context.update(&[0]);
        context.update(password.as_bytes());
        let tag = context.sign();
        tag.as_ref().try_into().unwrap_or_default()
    }

    fn is_remembered(&self, digest: &[u8; 32]) -> bool {
        let right = self.0.right.lock().unwrap_or_else(PoisonError::into_inner);
        right.get(digest).is_some_and(|until| *until > Instant::now())
    }

    fn remember(&self, digest: [u8; 32]) {
        let mut right = self.0.right.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if right.len() >= MEMORY {
            right.retain(|_, until| *until > now);
        }
        if right.len() >= MEMORY {
            right.clear();
        }
        right.insert(digest, now + REMEMBERED);
    }
}

/// Whether a password has the hash of a user; away from the threads that serve.
async fn hashes_to(user: &User, password: &str) -> bool {
    let (hash, password) = (user.hash.clone(), password.to_owned());
    let work = move || {
        let Ok(hash) = PasswordHash::new(&hash) else { return false };
        Argon2::default().verify_password(password.as_bytes(), &hash).is_ok()
    };
    tokio::task::spawn_blocking(work).await.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::convert::Infallible;

    use super::*;

    /// Cheap: this is no secret.
    fn user(password: &str) -> User {
        let params = Params::new(8, 1, 1, None).unwrap();
        let argon = Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, params);
        let hash = argon.hash_password(password.as_bytes()).unwrap().to_string();
        User { hash, groups: BTreeSet::new() }
    }

    async fn verdict(passwords: &Passwords, user: &User, password: &str) -> Verdict {
        passwords.verify(user, password, || Ok::<_, Infallible>(())).await.unwrap()
    }

    #[tokio::test]
    async fn a_right_password_is_remembered_until_it_is_changed() {
        let passwords = Passwords::new().unwrap();
        let alice = user("correct");
        assert!(!passwords.is_known(&alice, "correct"));
        assert_eq!(verdict(&passwords, &alice, "wrong").await, Verdict::Wrong);
        assert!(!passwords.is_known(&alice, "wrong"));
        assert_eq!(verdict(&passwords, &alice, "correct").await, Verdict::Right);
        assert!(passwords.is_known(&alice, "correct") && !passwords.is_known(&alice, "wrong"));
        assert!(!passwords.is_known(&user("correct"), "correct"));
    }

    #[tokio::test]
    async fn nobody_is_let_in_as_somebody_else() {
        let passwords = Passwords::new().unwrap();
        let alice = user("correct");
        let pretended = passwords.pretend(&alice, "correct", || Ok::<_, Infallible>(())).await;
        assert_eq!(pretended, Ok(Verdict::Wrong));
        assert!(!passwords.is_known(&alice, "correct"));
    }

    #[tokio::test]
    async fn whoever_waits_is_asked_again() {
        let passwords = Passwords::new().unwrap();
        let refused = passwords.verify(&user("a"), "a", || Err("no")).await;
        assert_eq!(refused, Err("no"));
    }

    #[tokio::test]
    async fn no_more_wait_than_may() {
        let passwords = Passwords::new().unwrap();
        let all = u32::try_from(AT_ONCE + WAITING).unwrap();
        let _held = passwords.0.waiting.try_acquire_many(all).unwrap();
        assert_eq!(verdict(&passwords, &user("a"), "a").await, Verdict::Busy);
    }

    #[tokio::test]
    async fn what_is_remembered_is_bounded() {
        let passwords = Passwords::new().unwrap();
        for number in 0..3 * MEMORY {
            let mut digest = [0; 32];
            digest[..8].copy_from_slice(&number.to_be_bytes());
            passwords.remember(digest);
        }
        assert!(passwords.0.right.lock().unwrap().len() <= MEMORY);
    }

    #[test]
    fn a_hash_is_looked_at_before_it_is_used() {
        assert_eq!(check_hash(&user("x").hash), Ok(()));
        for bad in
            ["", "x", "hunter2", "$argon2id$v=19$m=8,t=1,p=1", "$scrypt$ln=1$YWJjZGVmZ2g$YWJj"]
        {
            assert_eq!(check_hash(bad), Err(HashError::NoHash), "{bad}");
        }
        let large = user("x").hash.replace("m=8", "m=9999999");
        assert_eq!(check_hash(&large), Err(HashError::Large(9_999_999)));
    }
}
