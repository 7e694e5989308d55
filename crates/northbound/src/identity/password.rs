//! Passwords: hashed with Argon2, verified away from the threads that serve, and not each time.

use std::collections::BTreeMap;
use std::net::IpAddr;
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
/// So many others may be held against one that is remembered: whoever guesses where somebody was let in finds out
/// no more than this, and has to wait like everybody else after that.
const LOOKS: u32 = 10;
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

/// Whose password, and from where.
type Place = (String, IpAddr);

/// A password that was right.
#[derive(Clone, Copy, Debug)]
struct Remembered {
    /// Of no use elsewhere.
    digest: [u8; 32],
    until: Instant,
    /// How many others were held against it.
    looks: u32,
}

/// A password that is shown.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'a> {
    pub(crate) name: &'a str,
    pub(crate) password: &'a str,
    pub(crate) from: IpAddr,
}

impl Shown<'_> {
    fn place(self) -> Place {
        (self.name.to_owned(), self.from)
    }
}

#[derive(Debug)]
struct Inner {
    /// Those that were right, by name and where they came from.
    right: Mutex<BTreeMap<Place, Remembered>>,
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

    /// Whether this very password was right a moment ago, with this very hash, from there.
    pub(crate) fn is_known(&self, user: &User, shown: Shown<'_>) -> bool {
        let known = self.is_remembered(user, shown);
        if !known {
            self.looked(shown);
        }
        known
    }

    fn is_remembered(&self, user: &User, shown: Shown<'_>) -> bool {
        let right = self.0.right.lock().unwrap_or_else(PoisonError::into_inner);
        let known = right.get(&shown.place()).filter(|known| known.until > Instant::now());
        known.is_some_and(|known| known.digest == self.digest(user, shown.password))
    }

    /// Another was held against what is remembered there.
    fn looked(&self, shown: Shown<'_>) {
        let mut right = self.0.right.lock().unwrap_or_else(PoisonError::into_inner);
        let place = shown.place();
        let Some(known) = right.get_mut(&place) else { return };
        known.looks += 1;
        if known.looks >= LOOKS {
            right.remove(&place);
        }
    }

    /// Looks at a password; `still` is asked when it is its turn, for by then there may be no need, or it
    /// may not be wanted any more.
    pub(crate) async fn verify<E>(
        &self,
        user: &User,
        shown: Shown<'_>,
        still: impl Fn() -> Result<(), E>,
    ) -> Result<Verdict, E> {
        let Ok(_waiting) = self.0.waiting.try_acquire() else { return Ok(Verdict::Busy) };
        let Ok(_free) = self.0.free.acquire().await else { return Ok(Verdict::Busy) };
        // By now it may be: a client often comes with several calls at once.
        if self.is_remembered(user, shown) {
            return Ok(Verdict::Right);
        }
        still()?;
        let right = hashes_to(user, shown.password).await;
        if right {
            self.remember(shown.place(), self.digest(user, shown.password));
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

    fn remember(&self, place: Place, digest: [u8; 32]) {
        let mut right = self.0.right.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if right.len() >= MEMORY {
            right.retain(|_, known| known.until > now);
        }
        if right.len() >= MEMORY {
            right.clear();
        }
        right.insert(place, Remembered { digest, until: now + REMEMBERED, looks: 0 });
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

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
    const THERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));

    fn shown(password: &str) -> Shown<'_> {
        Shown { name: "alice", password, from: HERE }
    }

    async fn verdict(passwords: &Passwords, user: &User, password: &str) -> Verdict {
        passwords.verify(user, shown(password), || Ok::<_, Infallible>(())).await.unwrap()
    }

    #[tokio::test]
    async fn a_right_password_is_remembered_until_it_is_changed() {
        let passwords = Passwords::new().unwrap();
        let alice = user("correct");
        assert!(!passwords.is_known(&alice, shown("correct")));
        assert_eq!(verdict(&passwords, &alice, "wrong").await, Verdict::Wrong);
        assert!(!passwords.is_known(&alice, shown("wrong")));
        assert_eq!(verdict(&passwords, &alice, "correct").await, Verdict::Right);
        assert!(passwords.is_known(&alice, shown("correct")));
        assert!(!passwords.is_known(&alice, shown("wrong")));
        assert!(!passwords.is_known(&user("correct"), shown("correct")));
    }

    #[tokio::test]
    async fn it_is_remembered_where_it_came_from_and_for_few_guesses() {
        let passwords = Passwords::new().unwrap();
        let alice = user("correct");
        assert_eq!(verdict(&passwords, &alice, "correct").await, Verdict::Right);
        let elsewhere = Shown { from: THERE, ..shown("correct") };
        assert!(!passwords.is_known(&alice, elsewhere));
        for number in 1..LOOKS {
            assert!(!passwords.is_known(&alice, shown(&number.to_string())));
            assert!(passwords.is_known(&alice, shown("correct")), "after {number} guesses");
        }
        assert!(!passwords.is_known(&alice, shown("one more")));
        assert!(!passwords.is_known(&alice, shown("correct")), "nothing is left to guess at");
    }

    #[tokio::test]
    async fn nobody_is_let_in_as_somebody_else() {
        let passwords = Passwords::new().unwrap();
        let alice = user("correct");
        let pretended = passwords.pretend(&alice, "correct", || Ok::<_, Infallible>(())).await;
        assert_eq!(pretended, Ok(Verdict::Wrong));
        assert!(!passwords.is_known(&alice, shown("correct")));
    }

    #[tokio::test]
    async fn whoever_waits_is_asked_again() {
        let passwords = Passwords::new().unwrap();
        let refused = passwords.verify(&user("a"), shown("a"), || Err("no")).await;
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
            passwords.remember((number.to_string(), HERE), [0; 32]);
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
