//! Tokens of every kind, and everything that can be wrong with one.

use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};
use serde_json::json;

use super::*;

const SECRET: &[u8] = b"an example of a secret, long enough";

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_000_000)
}

fn encode(bytes: &[u8]) -> String {
    BASE64URL_NOPAD.encode(bytes)
}

fn claims() -> Value {
    json!({"iss": "sso", "aud": "lockstep", "sub": "alice", "groups": ["noc", "a\nb"],
           "exp": 1_000_100, "nbf": 999_900})
}

fn with(name: &str, value: Value) -> Value {
    let mut claims = claims();
    claims[name] = value;
    claims
}

fn without(name: &str) -> Value {
    let mut claims = claims();
    claims.as_object_mut().unwrap().remove(name);
    claims
}

fn signed(header: &Value, claims: &Value, sign: impl Fn(&[u8]) -> Vec<u8>) -> String {
    let message = [header, claims].map(|part| encode(part.to_string().as_bytes())).join(".");
    let signature = encode(&sign(message.as_bytes()));
    format!("{message}.{signature}")
}

fn hmac(secret: &[u8]) -> impl Fn(&[u8]) -> Vec<u8> {
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret);
    move |message| ring::hmac::sign(&key, message).as_ref().to_vec()
}

fn issuer(keys: Keys) -> Issuer {
    Issuer {
        issuer: "sso".into(),
        audience: "lockstep".into(),
        name: "sub".into(),
        groups: "groups".into(),
        keys,
    }
}

fn shared() -> Vec<Issuer> {
    vec![issuer(Keys::from_secret(SECRET).unwrap())]
}

fn judge(claims: &Value) -> Result<Identity, Error> {
    identity(&shared(), &signed(&json!({"alg": "HS256"}), claims, hmac(SECRET)), now())
}

#[test]
fn a_good_token_names_somebody() {
    let found = judge(&claims()).unwrap();
    assert_eq!((found.name.as_str(), found.how), ("alice", How::Token));
    assert_eq!(found.groups, BTreeSet::from(["noc".to_owned()]));
    assert!(found.until.unwrap() > now());
    assert!(judge(&with("aud", json!(["x", "lockstep"]))).is_ok());
    assert!(judge(&without("nbf")).is_ok());
}

#[test]
fn every_claim_is_looked_at() {
    for (claims, why) in [
        (with("exp", json!(999_000)), Error::Expired),
        (with("exp", json!("1000100")), Error::Expired),
        (with("exp", json!(-1)), Error::Expired),
        (without("exp"), Error::Expired),
        (with("nbf", json!(1_001_000)), Error::Early),
        (with("nbf", json!("soon")), Error::Early),
        (with("aud", json!("other")), Error::Audience),
        (with("aud", json!([])), Error::Audience),
        (with("aud", json!(null)), Error::Audience),
        (without("aud"), Error::Audience),
        (with("iss", json!("other")), Error::Issuer),
        (with("iss", json!(["sso"])), Error::Issuer),
        (without("iss"), Error::Issuer),
        (with("sub", json!("")), Error::Name),
        (with("sub", json!("a\nb")), Error::Name),
        (with("sub", json!(7)), Error::Name),
        (with("sub", json!("lockstep")), Error::Name),
        (with("sub", json!("x".repeat(1000))), Error::Name),
        (without("sub"), Error::Name),
    ] {
        assert_eq!(judge(&claims), Err(why), "{claims}");
    }
}

#[test]
fn what_is_no_token_is_none() {
    let good = signed(&json!({"alg": "HS256"}), &claims(), hmac(SECRET));
    let mut parts = good.split('.');
    let (header, body, signature) =
        (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
    for bad in [
        String::new(),
        ".".into(),
        "..".into(),
        "a.b.c".into(),
        format!("{header}.{body}"),
        format!("{header}.{body}.{signature}.{signature}"),
        format!("{header}.{body}.{signature}="),
        format!("{header}.{}.{signature}", encode(b"[]")),
        good.clone() + &"x".repeat(LARGEST),
    ] {
        assert_eq!(identity(&shared(), &bad, now()), Err(Error::Malformed), "{bad}");
    }
    let crit = signed(&json!({"alg": "HS256", "crit": ["x"]}), &claims(), hmac(SECRET));
    assert_eq!(identity(&shared(), &crit, now()), Err(Error::Malformed));
}

#[test]
fn a_token_that_was_tampered_with_is_not_believed() {
    let good = signed(&json!({"alg": "HS256"}), &claims(), hmac(SECRET));
    let (message, signature) = good.rsplit_once('.').unwrap();
    let header = message.split_once('.').unwrap().0;
    let other = encode(with("sub", json!("root")).to_string().as_bytes());
    for bad in [
        format!("{header}.{other}.{signature}"),
        format!("{message}."),
        format!("{message}.{}", encode(&[0; 32])),
        signed(
            &json!({"alg": "HS256"}),
            &claims(),
            hmac(b"somebody else's secret, as long as ours"),
        ),
    ] {
        assert_eq!(identity(&shared(), &bad, now()), Err(Error::Signature), "{bad}");
    }
}

#[test]
fn the_key_says_which_algorithm_and_not_the_token() {
    for algorithm in ["none", "None", "", "HS384", "RS256", "ES256", "EdDSA"] {
        let header = json!({"alg": algorithm});
        for token in
            [signed(&header, &claims(), hmac(SECRET)), signed(&header, &claims(), |_| Vec::new())]
        {
            assert_eq!(identity(&shared(), &token, now()), Err(Error::Signature), "{algorithm}");
        }
    }
    // A public key is known to everybody, so as a secret it would be none.
    let pair = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
    let public = pair.public_key().as_ref().to_vec();
    let jwks = json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "x": encode(&public)}]});
    let issuers = [issuer(Keys::from_jwks(jwks.to_string().as_bytes()).unwrap())];
    let confused = signed(&json!({"alg": "HS256"}), &claims(), hmac(&public));
    assert_eq!(identity(&issuers, &confused, now()), Err(Error::Signature));
    let good = signed(&json!({"alg": "EdDSA"}), &claims(), |m| pair.sign(m).as_ref().to_vec());
    assert!(identity(&issuers, &good, now()).is_ok());
}

#[test]
fn keys_of_a_set_are_told_apart() {
    let random = SystemRandom::new();
    let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
    let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8.as_ref(), &random)
        .unwrap();
    let public = pair.public_key().as_ref();
    let ec = json!({"kty": "EC", "crv": "P-256", "kid": "a", "use": "sig", "alg": "ES256",
                    "x": encode(&public[1..33]), "y": encode(&public[33..])});
    let secret = json!({"kty": "oct", "kid": "b", "k": encode(SECRET)});
    let unused = json!({"kty": "EC", "crv": "P-521", "kid": "c"});
    let keys = json!({"keys": [secret, unused, ec]}).to_string();
    let issuers = [issuer(Keys::from_jwks(keys.as_bytes()).unwrap())];
    let sign = |m: &[u8]| pair.sign(&random, m).unwrap().as_ref().to_vec();
    let ask = |token: &str| identity(&issuers, token, now()).map(|found| found.name);
    let alice = Ok("alice".to_owned());
    assert_eq!(ask(&signed(&json!({"alg": "ES256", "kid": "a"}), &claims(), sign)), alice);
    assert_eq!(ask(&signed(&json!({"alg": "ES256"}), &claims(), sign)), alice);
    assert_eq!(ask(&signed(&json!({"alg": "HS256", "kid": "b"}), &claims(), hmac(SECRET))), alice);
    let wrong = Err(Error::Signature);
    assert_eq!(ask(&signed(&json!({"alg": "ES256", "kid": "b"}), &claims(), sign)), wrong);
    assert_eq!(ask(&signed(&json!({"alg": "HS256", "kid": "a"}), &claims(), hmac(SECRET))), wrong);
}

#[test]
fn keys_that_are_none_say_why() {
    use crate::identity::KeyError;
    assert_eq!(Keys::from_secret(b"short\n").unwrap_err(), KeyError::Short(5));
    assert_eq!(Keys::from_pem(b"x").unwrap_err(), KeyError::NoPem);
    for bad in ["", "{}", r#"{"keys": []}"#, r#"{"keys": [{"kty": "oct", "k": "YQ"}]}"#] {
        assert!(matches!(Keys::from_jwks(bad.as_bytes()), Err(KeyError::Set(_))), "{bad}");
    }
    assert!(!format!("{:?}", Keys::from_secret(SECRET).unwrap()).contains("example"));
}

proptest::proptest! {
    /// Whatever comes in, nobody is let in who was not before, and nothing breaks.
    #[test]
    fn nobody_comes_in_by_chance(token in "[A-Za-z0-9_.{}\":-]{0,200}", bytes: Vec<u8>) {
        proptest::prop_assert!(identity(&shared(), &token, now()).is_err());
        let wrapped = format!("{}.{}.{}", encode(&bytes), encode(&bytes), encode(&bytes));
        proptest::prop_assert!(identity(&shared(), &wrapped, now()).is_err());
        let _ = Keys::from_pem(&bytes);
        let _ = Keys::from_jwks(&bytes);
    }

    /// Any bit of a good token that is changed makes it a bad one.
    #[test]
    fn no_bit_of_a_token_can_be_changed(at: usize, bit in 0_u8..7) {
        let mut token = signed(&json!({"alg": "HS256"}), &claims(), hmac(SECRET)).into_bytes();
        let at = at % token.len();
        token[at] ^= 1 << bit;
        if let Ok(token) = String::from_utf8(token) {
            proptest::prop_assert!(identity(&shared(), &token, now()).is_err(), "{}", token);
        }
    }
}
