//! Bearer tokens: JWT, signed by somebody whose keys we were given.
//!
//! Nothing in a token says how it is to be checked. Its issuer names the keys, each key has one algorithm,
//! and a token that claims another has no key. So `none` is no algorithm, and a public key is never
//! taken for a secret.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use data_encoding::BASE64URL_NOPAD;
use serde_json::{Map, Value};

use super::keys::Fingerprint;
use super::{How, Identity, Keys, is_name, is_persons_name};

/// How far clocks may be apart.
const LEEWAY: Duration = Duration::from_secs(30);
/// No token is larger, in bytes.
const LARGEST: usize = 16 << 10;

/// Whose tokens are believed.
#[derive(Clone, Debug)]
pub struct Issuer {
    /// What they say in `iss`.
    pub issuer: String,
    /// What they say in `aud` when a token is for us.
    pub audience: String,
    /// The claim with the name.
    pub name: String,
    /// The claim with the groups.
    pub groups: String,
    /// What they sign with.
    pub keys: Keys,
}

/// Who issued a token, and how: what has to stand in the rules for as long as it is believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Issued {
    issuer: String,
    audience: String,
    /// The claims that were looked at.
    name: String,
    groups: String,
    key: Fingerprint,
}

impl Issued {
    /// Whether a token would be believed that was issued like that.
    pub(crate) fn is_believed(&self, issuers: &[Issuer]) -> bool {
        let is_same = |one: &Issuer| {
            (&one.issuer, &one.audience) == (&self.issuer, &self.audience)
                && (&one.name, &one.groups) == (&self.name, &self.groups)
        };
        issuers.iter().any(|one| is_same(one) && one.keys.has(&self.key))
    }
}

/// Why a token is not believed; for the log alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Error {
    #[error("it is no token")]
    Malformed,
    #[error("nobody known issued it")]
    Issuer,
    #[error("it was not signed by who it says issued it")]
    Signature,
    #[error("it has expired")]
    Expired,
    #[error("it is not valid yet")]
    Early,
    #[error("it is for somebody else")]
    Audience,
    #[error("it names nobody, or by a name that nobody can have")]
    Name,
}

/// Whom a token names.
pub(crate) fn identity(
    issuers: &[Issuer],
    token: &str,
    now: SystemTime,
) -> Result<Identity, Error> {
    let parsed = Parsed::read(token).ok_or(Error::Malformed)?;
    let named = parsed.claims.get("iss").and_then(Value::as_str).ok_or(Error::Issuer)?;
    let mut issuers = issuers.iter().filter(|one| one.issuer == named).peekable();
    issuers.peek().ok_or(Error::Issuer)?;
    let signed = issuers.find_map(|issuer| Some((issuer, parsed.signed_by(issuer)?)));
    let (issuer, key) = signed.ok_or(Error::Signature)?;
    issuer.accept(&parsed.claims, key, now)
}

struct Parsed<'t> {
    algorithm: String,
    key: Option<String>,
    claims: Map<String, Value>,
    message: &'t str,
    signature: Vec<u8>,
}

impl<'t> Parsed<'t> {
    fn read(token: &'t str) -> Option<Self> {
        if token.len() > LARGEST {
            return None;
        }
        let (message, signature) = token.rsplit_once('.')?;
        let (header, claims) = message.split_once('.')?;
        let header = object(header)?;
        // An extension that has to be understood, and is not.
        if header.contains_key("crit") {
            return None;
        }
        let text = |name: &str| header.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            algorithm: text("alg")?,
            key: text("kid"),
            claims: object(claims)?,
            message,
            signature: BASE64URL_NOPAD.decode(signature.as_bytes()).ok()?,
        })
    }

    fn signed_by(&self, issuer: &Issuer) -> Option<Fingerprint> {
        let message = self.message.as_bytes();
        issuer.keys.signed(&self.algorithm, self.key.as_deref(), message, &self.signature)
    }
}

fn object(encoded: &str) -> Option<Map<String, Value>> {
    let bytes = BASE64URL_NOPAD.decode(encoded.as_bytes()).ok()?;
    serde_json::from_slice(&bytes).ok()
}

impl Issuer {
    /// What is claimed, once it is known who claims it.
    fn accept(
        &self,
        claims: &Map<String, Value>,
        key: Fingerprint,
        now: SystemTime,
    ) -> Result<Identity, Error> {
        let until = time(claims.get("exp")).ok_or(Error::Expired)?;
        if until + LEEWAY <= now {
            return Err(Error::Expired);
        }
        if let Some(from) = claims.get("nbf") {
            let from = time(Some(from)).ok_or(Error::Early)?;
            if from > now + LEEWAY {
                return Err(Error::Early);
            }
        }
        let is_ours = |one: &Value| one.as_str() == Some(self.audience.as_str());
        let ours = match claims.get("aud") {
            Some(Value::Array(all)) => all.iter().any(is_ours),
            Some(one) => is_ours(one),
            None => false,
        };
        if !ours {
            return Err(Error::Audience);
        }
        let name = claims.get(&self.name).and_then(Value::as_str);
        let name = name.filter(|name| is_persons_name(name));
        Ok(Identity {
            name: name.ok_or(Error::Name)?.to_owned(),
            groups: groups(claims.get(&self.groups)),
            how: How::Token,
            until: Some(until + LEEWAY),
            user: None,
            issued: Some(self.issued(key)),
        })
    }

    fn issued(&self, key: Fingerprint) -> Issued {
        Issued {
            issuer: self.issuer.clone(),
            audience: self.audience.clone(),
            name: self.name.clone(),
            groups: self.groups.clone(),
            key,
        }
    }
}

/// Seconds since 1970, also with a fraction.
fn time(claim: Option<&Value>) -> Option<SystemTime> {
    let seconds = claim?.as_f64()?;
    UNIX_EPOCH.checked_add(Duration::try_from_secs_f64(seconds).ok()?)
}

/// One, or several.
fn groups(claim: Option<&Value>) -> BTreeSet<String> {
    let text = |one: &Value| one.as_str().filter(|name| is_name(name)).map(str::to_owned);
    match claim {
        Some(Value::Array(all)) => all.iter().filter_map(text).collect(),
        Some(one) => text(one).into_iter().collect(),
        None => BTreeSet::new(),
    }
}

#[cfg(test)]
mod tests;
