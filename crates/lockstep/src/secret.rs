//! Credentials that are kept in the store: encrypted, with a key that every node has as a file.
//!
//! The same credential of the same target is always encrypted to the same text, so that a request that is
//! sent twice is the same request. The nonce is made of what is encrypted, by a key of its own; it comes
//! twice only with the same text, for the same target and key, and that tells nothing.

use std::fmt;
use std::path::Path;

use data_encoding::{BASE64, HEXLOWER};
use lockstep_types::Target;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::{hkdf, hmac};

/// What a text begins with that is encrypted, with the form it is in.
const SEALED: &str = "sealed:1:";
/// What the key is made for.
const PURPOSE: &[u8] = b"lockstep credentials";
/// The least that the file has: what it is made from is to be as hard to guess as the key itself.
const LEAST: usize = 32;
const KEY: usize = 32;

/// The key of the file.
pub(crate) struct Key {
    /// Which one it is, without saying anything of what it is.
    name: String,
    seal: LessSafeKey,
    nonce: hmac::Key,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Whether a text is encrypted.
pub(crate) fn is_sealed(text: &str) -> bool {
    text.starts_with(SEALED)
}

impl Key {
    /// Reads the file.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let read = std::fs::read(path);
        let read = read.map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let secret = read.trim_ascii();
        if secret.len() < LEAST {
            return Err(format!(
                "{} has {} bytes, and needs {LEAST} at least that nobody can guess: \
                 `head -c 32 /dev/urandom | base64`",
                path.display(),
                secret.len()
            ));
        }
        Self::of(secret).ok_or_else(|| format!("{} cannot be used as a key", path.display()))
    }

    fn of(secret: &[u8]) -> Option<Self> {
        let secret = hkdf::Salt::new(hkdf::HKDF_SHA256, PURPOSE).extract(secret);
        let derived = |what: &[u8]| {
            let mut key = [0; KEY];
            secret.expand(&[what], hkdf::HKDF_SHA256).ok()?.fill(&mut key).ok()?;
            Some(key)
        };
        let seal = UnboundKey::new(&CHACHA20_POLY1305, &derived(b"seal")?).ok()?;
        Some(Self {
            name: HEXLOWER.encode(&derived(b"name")?[..4]),
            seal: LessSafeKey::new(seal),
            nonce: hmac::Key::new(hmac::HMAC_SHA256, &derived(b"nonce")?),
        })
    }

    /// Encrypts what a target has for a key of its options.
    pub(crate) fn seal(&self, target: &Target, key: &str, text: &str) -> Result<String, String> {
        let place = place(target, key);
        let mut made = hmac::Context::with_key(&self.nonce);
        // The place is told from the text by its length.
        made.update(&u64::try_from(place.len()).unwrap_or(u64::MAX).to_be_bytes());
        made.update(&place);
        made.update(text.as_bytes());
        let mut nonce = [0; NONCE_LEN];
        nonce.copy_from_slice(&made.sign().as_ref()[..NONCE_LEN]);
        let mut sealed = text.as_bytes().to_vec();
        let aad = Aad::from(place);
        self.seal
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), aad, &mut sealed)
            .map_err(|_| format!("{key} is too long to be encrypted"))?;
        let sealed = BASE64.encode(&[&nonce[..], &sealed].concat());
        Ok(format!("{SEALED}{}:{sealed}", self.name))
    }

    /// Says again what was encrypted.
    pub(crate) fn open(&self, target: &Target, key: &str, sealed: &str) -> Result<String, String> {
        let rest = sealed.strip_prefix(SEALED).and_then(|rest| rest.split_once(':'));
        let (name, sealed) =
            rest.ok_or_else(|| format!("{key} is not encrypted as it should be"))?;
        if name != self.name {
            return Err(format!(
                "{key} was encrypted with another key, {name}; that of this node's secret-key-file is \
                 {}: give every node the same file, or say the {key} again",
                self.name
            ));
        }
        let damaged =
            || format!("{key} cannot be decrypted: it was damaged, or was another target's");
        let bytes = BASE64.decode(sealed.as_bytes()).map_err(|_| damaged())?;
        let (nonce, sealed) = bytes.split_at_checked(NONCE_LEN).ok_or_else(damaged)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| damaged())?;
        let mut sealed = sealed.to_vec();
        let aad = Aad::from(place(target, key));
        let text = self.seal.open_in_place(nonce, aad, &mut sealed).map_err(|_| damaged())?;
        String::from_utf8(text.to_vec()).map_err(|_| damaged())
    }
}

/// What is encrypted for one place cannot be used in another.
fn place(target: &Target, key: &str) -> Vec<u8> {
    format!("{target}\n{key}").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(secret: &str) -> Key {
        Key::of(secret.as_bytes()).unwrap()
    }

    fn target(name: &str) -> Target {
        Target::new(name).unwrap()
    }

    #[test]
    fn what_was_encrypted_is_said_again() {
        let (key, leaf1) = (key("one"), target("leaf1"));
        let sealed = key.seal(&leaf1, "password", "päss").unwrap();
        assert!(is_sealed(&sealed) && !sealed.contains("päss"), "{sealed}");
        assert_eq!(key.open(&leaf1, "password", &sealed).unwrap(), "päss");
        assert_eq!(key.seal(&leaf1, "password", "päss").unwrap(), sealed, "the same each time");
        assert_ne!(key.seal(&leaf1, "password", "other").unwrap(), sealed);
        assert!(!format!("{key:?}").contains("one"));
    }

    #[test]
    fn it_is_of_use_only_where_it_was_put() {
        let (key, leaf1) = (key("one"), target("leaf1"));
        let sealed = key.seal(&leaf1, "password", "secret").unwrap();
        for (name, at) in [("leaf2", "password"), ("leaf1", "token")] {
            let refused = key.open(&target(name), at, &sealed).unwrap_err();
            assert!(refused.contains("cannot be decrypted"), "{refused}");
        }
        assert_ne!(key.seal(&target("leaf2"), "password", "secret").unwrap(), sealed);
    }

    #[test]
    fn another_key_is_named() {
        let (one, two, leaf1) = (key("one"), key("two"), target("leaf1"));
        let sealed = one.seal(&leaf1, "password", "secret").unwrap();
        let refused = two.open(&leaf1, "password", &sealed).unwrap_err();
        assert!(refused.contains(&one.name) && refused.contains(&two.name), "{refused}");
    }

    #[test]
    fn what_is_damaged_is_refused() {
        let (key, leaf1) = (key("one"), target("leaf1"));
        let sealed = key.seal(&leaf1, "password", "secret").unwrap();
        let (head, tail) = sealed.rsplit_once(':').unwrap();
        let mut bytes = BASE64.decode(tail.as_bytes()).unwrap();
        for at in 0..bytes.len() {
            bytes[at] ^= 1;
            let damaged = format!("{head}:{}", BASE64.encode(&bytes));
            assert!(key.open(&leaf1, "password", &damaged).is_err(), "byte {at}");
            bytes[at] ^= 1;
        }
        for text in
            ["", "sealed:1:", "sealed:1:x", "plain", &format!("{head}:"), &format!("{head}:AA==")]
        {
            assert!(key.open(&leaf1, "password", text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_key_that_can_be_guessed_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        assert!(Key::read(&file).unwrap_err().contains("cannot read"));
        std::fs::write(&file, "short\n").unwrap();
        let refused = Key::read(&file).unwrap_err();
        assert!(refused.contains("has 5 bytes") && refused.contains("/dev/urandom"), "{refused}");
        std::fs::write(&file, "x".repeat(LEAST)).unwrap();
        let (plain, name) = (Key::read(&file).unwrap(), key(&"x".repeat(LEAST)).name);
        std::fs::write(&file, format!("{}\n", "x".repeat(LEAST))).unwrap();
        assert_eq!((Key::read(&file).unwrap().name, plain.name), (name.clone(), name));
    }
}
