//! Keys that tokens are signed with. A key has one algorithm, and a token never chooses it.

use data_encoding::BASE64URL_NOPAD;
use ring::{digest, hmac, signature};
use serde_json::Value;
use tokio_rustls::rustls::pki_types::SubjectPublicKeyInfoDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;

use super::der;

/// How many bytes a shared secret has at least: as many as the hash.
const SECRET: usize = 32;

/// Why a file holds no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Not PEM of a public key.
    #[error("there is no public key in it (PEM, `BEGIN PUBLIC KEY`)")]
    NoPem,
    /// A key of a kind that is not taken.
    #[error("{0}; taken are RSA (RS256), EC P-256 (ES256) and Ed25519 (EdDSA)")]
    Kind(String),
    /// Not a set of keys.
    #[error("it is no set of keys (JWKS): {0}")]
    Set(String),
    /// A secret that can be guessed.
    #[error("a secret of {0} bytes is too short; at least {SECRET}")]
    Short(usize),
}

/// Which key it was, which says nothing of what it is.
pub(crate) type Fingerprint = [u8; digest::SHA256_OUTPUT_LEN];

/// Keys, any of which may have signed a token.
#[derive(Clone, Debug)]
pub struct Keys(Vec<Key>);

#[derive(Clone)]
struct Key {
    id: Option<String>,
    material: Material,
}

#[derive(Clone)]
enum Material {
    Rsa { n: Vec<u8>, e: Vec<u8> },
    RsaDer(Vec<u8>),
    P256(Vec<u8>),
    Ed25519(Vec<u8>),
    Secret(hmac::Key),
}

/// Never what is in it: one kind is secret.
impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Key({}, {:?})", self.material.algorithm(), self.id)
    }
}

impl Material {
    /// Its name in the header of a token.
    fn algorithm(&self) -> &'static str {
        match self {
            Self::Rsa { .. } | Self::RsaDer(_) => "RS256",
            Self::P256(_) => "ES256",
            Self::Ed25519(_) => "EdDSA",
            Self::Secret(_) => "HS256",
        }
    }

    fn fingerprint(&self) -> Fingerprint {
        let of = |parts: &[&[u8]]| {
            let mut made = digest::Context::new(&digest::SHA256);
            made.update(self.algorithm().as_bytes());
            parts.iter().for_each(|part| made.update(part));
            array(made.finish().as_ref())
        };
        match self {
            Self::Rsa { n, e } => of(&[n, e]),
            Self::RsaDer(key) | Self::P256(key) | Self::Ed25519(key) => of(&[key]),
            Self::Secret(key) => array(hmac::sign(key, b"lockstep fingerprint").as_ref()),
        }
    }

    fn verifies(&self, message: &[u8], signed: &[u8]) -> bool {
        let public = |algorithm: &'static dyn signature::VerificationAlgorithm, key: &[u8]| {
            signature::UnparsedPublicKey::new(algorithm, key).verify(message, signed).is_ok()
        };
        let rsa = &signature::RSA_PKCS1_2048_8192_SHA256;
        match self {
            Self::Rsa { n, e } => {
                signature::RsaPublicKeyComponents { n, e }.verify(rsa, message, signed).is_ok()
            }
            Self::RsaDer(key) => public(rsa, key),
            Self::P256(key) => public(&signature::ECDSA_P256_SHA256_FIXED, key),
            Self::Ed25519(key) => public(&signature::ED25519, key),
            Self::Secret(key) => hmac::verify(key, message, signed).is_ok(),
        }
    }
}

impl Keys {
    /// A public key.
    ///
    /// # Errors
    /// It is none, or of a kind that is not taken.
    pub fn from_pem(pem: &[u8]) -> Result<Self, KeyError> {
        let info = SubjectPublicKeyInfoDer::from_pem_slice(pem).map_err(|_| KeyError::NoPem)?;
        let material = public_key(info.as_ref())?;
        Ok(Self(vec![Key { id: None, material }]))
    }

    /// A shared secret, as the bytes of a file; an end of line at its end is not part of it.
    ///
    /// # Errors
    /// It is too short.
    pub fn from_secret(bytes: &[u8]) -> Result<Self, KeyError> {
        let bytes = bytes.trim_ascii_end();
        Ok(Self(vec![Key { id: None, material: secret(bytes)? }]))
    }

    /// A set of keys (JWKS). Keys for something else than signatures, and of kinds that are not taken, are
    /// passed over; but one has to be left.
    ///
    /// # Errors
    /// It is none.
    pub fn from_jwks(text: &[u8]) -> Result<Self, KeyError> {
        let wrong = |why: &str| KeyError::Set(why.to_owned());
        let set: Value = serde_json::from_slice(text).map_err(|error| wrong(&error.to_string()))?;
        let keys = set.get("keys").and_then(Value::as_array);
        let keys = keys.ok_or_else(|| wrong("it has no `keys`"))?;
        let signing = |key: &&Value| key.get("use").is_none_or(|kind| kind == "sig");
        let keys: Vec<Key> = keys.iter().filter(signing).filter_map(json_key).collect();
        match keys.is_empty() {
            true => Err(wrong("no key in it is of a kind that is taken")),
            false => Ok(Self(keys)),
        }
    }

    /// Which of these signed a message: one of this algorithm, and of this id if the token has one.
    pub(super) fn signed(
        &self,
        algorithm: &str,
        id: Option<&str>,
        message: &[u8],
        signed: &[u8],
    ) -> Option<Fingerprint> {
        let fits = |key: &&Key| {
            let named = id.is_none() || key.id.is_none() || key.id.as_deref() == id;
            named && key.material.algorithm() == algorithm
        };
        let mut fitting = self.0.iter().filter(fits).map(|key| &key.material);
        fitting.find(|key| key.verifies(message, signed)).map(Material::fingerprint)
    }

    /// Whether one of these is this one.
    pub(super) fn has(&self, fingerprint: &Fingerprint) -> bool {
        self.0.iter().any(|key| key.material.fingerprint() == *fingerprint)
    }
}

/// A digest has as many bytes as it should.
fn array(digest: &[u8]) -> Fingerprint {
    let mut fingerprint = Fingerprint::default();
    fingerprint.iter_mut().zip(digest).for_each(|(to, from)| *to = *from);
    fingerprint
}

fn secret(bytes: &[u8]) -> Result<Material, KeyError> {
    if bytes.len() < SECRET {
        return Err(KeyError::Short(bytes.len()));
    }
    Ok(Material::Secret(hmac::Key::new(hmac::HMAC_SHA256, bytes)))
}

/// 1.2.840.113549.1.1.1
const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
/// 1.2.840.10045.2.1
const EC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
/// 1.2.840.10045.3.1.7
const P256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
/// 1.3.101.112
const ED25519: &[u8] = &[0x2b, 0x65, 0x70];

/// A SubjectPublicKeyInfo: what kind of key, and the key.
fn public_key(info: &[u8]) -> Result<Material, KeyError> {
    let parts = || {
        let (inside, _) = der::take(info, der::SEQUENCE)?;
        let (algorithm, after) = der::take(inside, der::SEQUENCE)?;
        let (bits, _) = der::take(after, der::BITS)?;
        let (kind, parameters) = der::take(algorithm, der::OID)?;
        // The first byte says how many bits are left over, of which a key has none.
        let key = bits.strip_prefix(&[0])?;
        Some((kind, parameters, key.to_vec()))
    };
    let (kind, parameters, key) = parts().ok_or(KeyError::NoPem)?;
    let curve = der::take(parameters, der::OID).map(|(curve, _)| curve);
    match (kind, curve) {
        (RSA, _) => Ok(Material::RsaDer(key)),
        (EC, Some(P256)) => Ok(Material::P256(key)),
        (EC, _) => Err(KeyError::Kind("the key is on another curve".into())),
        (ED25519, _) => Ok(Material::Ed25519(key)),
        _ => Err(KeyError::Kind("the key is of another kind".into())),
    }
}

/// A key of a set; none: of a kind that is not taken.
fn json_key(key: &Value) -> Option<Key> {
    let text = |name: &str| key.get(name).and_then(Value::as_str);
    let bytes = |name: &str| BASE64URL_NOPAD.decode(text(name)?.as_bytes()).ok();
    let material = match (text("kty")?, text("crv")) {
        ("RSA", _) => Material::Rsa { n: bytes("n")?, e: bytes("e")? },
        ("EC", Some("P-256")) => {
            let (x, y) = (bytes("x")?, bytes("y")?);
            Material::P256([&[4], x.as_slice(), y.as_slice()].concat())
        }
        ("OKP", Some("Ed25519")) => Material::Ed25519(bytes("x")?),
        ("oct", _) => secret(&bytes("k")?).ok()?,
        _ => return None,
    };
    if text("alg").is_some_and(|algorithm| algorithm != material.algorithm()) {
        return None;
    }
    Some(Key { id: text("kid").map(str::to_owned), material })
}
