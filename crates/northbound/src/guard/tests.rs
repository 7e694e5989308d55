//! What becomes of those who are in when the rules change.

use std::collections::BTreeSet;
use std::time::Duration;

use axum::http::Request;
use tonic::body::Body;
use tonic::codegen::Service;
use tonic::service::Routes;

use super::*;
use crate::access::{Glob, Right, Role};
use crate::connection::Origin;
use crate::identity::{Issuer, Keys};
use crate::patience::Asked;

fn rules(hash: &str, groups: &[&str]) -> Rules {
    let groups: BTreeSet<String> = groups.iter().map(|&group| group.to_owned()).collect();
    let role = Role {
        name: "noc".into(),
        may: [Right::Read].into(),
        users: Vec::new(),
        groups: vec![Glob::new("noc")],
        targets: Vec::new(),
        tags: BTreeSet::new(),
        paths: Vec::new(),
    };
    let alice = User { hash: hash.into(), groups };
    Rules { users: [("alice".to_owned(), alice)].into(), roles: vec![role], ..Rules::default() }
}

/// The door, with these rules.
fn guard(rules: Rules) -> Guard {
    Guard::new(Access { rules, ..Access::default() }, None).unwrap()
}

/// Somebody who logged in as alice, by rules of then.
fn alice(then: &Rules) -> Identity {
    let user = then.users["alice"].clone();
    let (name, groups) = ("alice".to_owned(), user.groups.clone());
    Identity { name, groups, how: How::Password, user: Some(user), ..Identity::nobody() }
}

#[test]
fn a_user_has_the_groups_of_now() {
    let then = alice(&rules("old", &["noc"]));
    let may_read = |now: Rules| Guard::grants_by(&now, &then).map(|may| may.anywhere(Right::Read));
    assert_eq!(may_read(rules("old", &["noc"])), Some(true));
    assert_eq!(may_read(rules("old", &["guests"])), Some(false));
    let guest = alice(&rules("old", &["guests"]));
    let now = Guard::grants_by(&rules("old", &["noc"]), &guest).unwrap();
    assert!(now.anywhere(Right::Read));
}

#[test]
fn a_password_that_was_changed_ends_it() {
    let then = alice(&rules("old", &["noc"]));
    assert!(Guard::grants_by(&rules("new", &["noc"]), &then).is_none());
    let gone = Rules { users: [].into(), ..rules("old", &[]) };
    assert!(Guard::grants_by(&gone, &then).is_none());
}

fn certificate(until: SystemTime) -> Identity {
    let (name, groups) = ("bob".to_owned(), ["noc".to_owned()].into());
    Identity { name, groups, how: How::Certificate, until: Some(until), ..Identity::nobody() }
}

const ONE: &[u8] = b"a secret of more than thirty-two bytes";
const OTHER: &[u8] = b"another one that nobody is going to guess";

/// Rules by which tokens are believed that these keys signed.
fn believing(issuer: &str, secrets: &[&[u8]]) -> Rules {
    let issuer = |secret: &&[u8]| Issuer {
        issuer: issuer.into(),
        audience: "lockstep".into(),
        name: "sub".into(),
        groups: "groups".into(),
        keys: Keys::from_secret(secret).unwrap(),
    };
    Rules { tokens: secrets.iter().map(issuer).collect(), ..rules("old", &["noc"]) }
}

/// Somebody who came in with a token that a key of ours signed.
fn bearer(then: &Rules) -> Identity {
    let until = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs() + 600;
    let claims = serde_json::json!({
        "iss": "sso", "aud": "lockstep", "sub": "zoe", "groups": ["noc"], "exp": until,
    });
    let encode = |part: &[u8]| data_encoding::BASE64URL_NOPAD.encode(part);
    let message =
        [br#"{"alg":"HS256"}"#.to_vec(), claims.to_string().into_bytes()].map(|part| encode(&part));
    let message = message.join(".");
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, ONE);
    let signature = encode(ring::hmac::sign(&key, message.as_bytes()).as_ref());
    of_token(&then.tokens, &format!("{message}.{signature}"), SystemTime::now()).unwrap()
}

#[test]
fn an_issuer_who_is_not_believed_any_more_ends_it() {
    let zoe = bearer(&believing("sso", &[ONE]));
    let is_in = |now: Rules| Guard::grants_by(&now, &zoe).is_some();
    assert!(is_in(believing("sso", &[ONE])) && is_in(believing("sso", &[OTHER, ONE])));
    assert!(!is_in(believing("sso", &[OTHER])), "the key is another");
    assert!(!is_in(believing("other", &[ONE])), "it is somebody else's key");
    assert!(!is_in(rules("old", &["noc"])), "nobody's tokens are believed");
    let renamed = |issuer: Issuer| Issuer { groups: "teams".into(), ..issuer };
    let now = believing("sso", &[ONE]);
    let tokens = now.tokens.iter().cloned().map(renamed).collect();
    assert!(!is_in(Rules { tokens, ..now }), "the groups are in another claim");
    let audience = |issuer: Issuer| Issuer { audience: "other".into(), ..issuer };
    let now = believing("sso", &[ONE]);
    let tokens = now.tokens.iter().cloned().map(audience).collect();
    assert!(!is_in(Rules { tokens, ..now }), "it is for somebody else");
}

#[tokio::test]
async fn a_certificate_that_ends_ends_it() {
    let guard = guard(rules("old", &[]));
    let day = Duration::from_secs(86_400);
    let now = SystemTime::now();
    for (until, is_in) in [(now + day, true), (now - day, false)] {
        let certificate = certificate(until);
        assert_eq!(Guard::grants_by(&guard.rules(), &certificate).is_some(), is_in);
        // Nor does it open another call on the same connection.
        let peer = Peer { certificate: Some(certificate), ..Peer::default() };
        let call = guard.enter(&mut HeaderMap::new(), &peer, "Get").await;
        assert_eq!(call.is_ok(), is_in);
    }
}

#[tokio::test]
async fn a_certificate_that_ends_ends_what_is_under_way() {
    let guard = guard(rules("old", &[]));
    let moment = Duration::from_millis(300);
    let certificate = Some(certificate(SystemTime::now() + moment));
    let peer = Peer { certificate, ..Peer::default() };
    let mut call = guard.enter(&mut HeaderMap::new(), &peer, "Subscribe").await.ok().unwrap();
    let deadline = Instant::now() + 20 * moment;
    while let Ok(again) = call.again() {
        call = again;
        assert!(Instant::now() < deadline);
        tokio::task::yield_now().await;
    }
    assert!(SystemTime::now() >= call.until().unwrap());
}

#[tokio::test]
async fn a_connection_hears_of_what_is_asked_on_it() {
    let guard = guard(rules("wrong", &[]));
    let mut services = Guarded::new(guard, Routes::default(), 0);
    let asked = Asked::default();
    let mut request = Request::new(Body::empty());
    let address = "10.0.0.1:1".parse().unwrap();
    request.extensions_mut().insert(Origin { address, asked: asked.clone() });
    // Whatever the answer is.
    let _refused = services.call(request).await;
    assert!(asked.is_noted());
}

// rule: limit-login
#[tokio::test]
async fn whoever_guesses_from_a_network_is_one() {
    let guard = guard(rules("wrong", &[]));
    let enter = async |address: &str, name: &str| {
        let address = Some(format!("[{address}]:1").parse().unwrap());
        let mut headers = HeaderMap::new();
        headers.insert("username", name.parse().unwrap());
        headers.insert("password", "guess".parse().unwrap());
        let peer = Peer { address, ..Peer::default() };
        guard.enter(&mut headers, &peer, "Get").await.unwrap_err().why
    };
    for last in 1..=3 {
        let refused = enter(&format!("2001:db8:1:2::{last}"), "alice").await;
        assert!(matches!(refused, Refused::Wrong(_)), "{refused:?}");
    }
    let refused = enter("2001:db8:1:2:9::", "alice").await;
    assert!(matches!(refused, Refused::Throttled { .. }), "{refused:?}");
    assert!(matches!(enter("2001:db8:1:3::1", "alice").await, Refused::Wrong(_)));
}

/// What becomes of a call from an address with this password of alice's.
async fn entered(guard: &Guard, from: &str, password: &str) -> Result<Call, Away> {
    let address = Some(format!("{from}:1").parse().unwrap());
    let mut headers = HeaderMap::new();
    headers.insert("username", "alice".parse().unwrap());
    headers.insert("password", password.parse().unwrap());
    guard.enter(&mut headers, &Peer { address, ..Peer::default() }, "Get").await
}

// rule: limit-login
#[tokio::test]
async fn a_password_that_was_right_elsewhere_is_no_way_around_the_wait() {
    let guard = guard(rules(&crate::identity::hash("right").unwrap(), &["noc"]));
    let (home, away) = ("10.0.0.1", "10.0.0.2");
    assert!(entered(&guard, home, "right").await.is_ok());
    for _ in 0..3 {
        let refused = entered(&guard, away, "guess").await.unwrap_err();
        assert!(matches!(refused.why, Refused::Wrong(_)), "{refused:?}");
    }
    for password in ["guess", "right"] {
        let refused = entered(&guard, away, password).await.unwrap_err();
        assert!(matches!(refused.why, Refused::Throttled { .. }), "{password}: {refused:?}");
    }
    // Whoever is in goes on, and is not kept out by somebody who guesses beside them.
    for _ in 0..4 {
        assert!(entered(&guard, home, "guess").await.is_err());
        assert!(entered(&guard, home, "right").await.is_ok());
    }
    // But they are not what somebody beside them can try any number of guesses on.
    for _ in 0..20 {
        assert!(entered(&guard, home, "guess").await.is_err());
    }
    let refused = entered(&guard, home, "right").await.unwrap_err();
    assert!(matches!(refused.why, Refused::Throttled { .. }), "{refused:?}");
}

#[tokio::test]
async fn who_is_not_let_in_is_known_as_far_as_that_goes() {
    let rules = rules(&crate::identity::hash("right").unwrap(), &["noc"]);
    let guard = Guard::new(Access { rules, rate: Some(1), ..Access::default() }, None).unwrap();
    let wrong = entered(&guard, "10.0.0.1", "guess").await.unwrap_err();
    assert_eq!((wrong.identity.name.as_str(), wrong.tried.as_deref()), ("", Some("alice")));
    let calls =
        [entered(&guard, "10.0.0.1", "right").await, entered(&guard, "10.0.0.1", "right").await];
    assert!(calls.iter().all(Result::is_ok));
    let fast = entered(&guard, "10.0.0.1", "right").await.unwrap_err();
    assert!(matches!(fast.why, Refused::Rate { rate: 1 }), "{fast:?}");
    assert_eq!((fast.identity.name.as_str(), fast.tried), ("alice", None));
    // What nobody is called may be a password in the wrong place.
    let mut headers = HeaderMap::new();
    headers.insert("username", "hunter2".parse().unwrap());
    let stranger = guard.enter(&mut headers, &Peer::default(), "Get").await.unwrap_err();
    assert_eq!(stranger.tried, None);
}

// rule: limit-wrong
#[tokio::test]
async fn wrong_tokens_are_looked_at_up_to_a_number() {
    let guard = guard(rules("wrong", &[]));
    let enter = async |address: &str| {
        let mut headers = HeaderMap::new();
        headers.insert("authorization", "Bearer x".parse().unwrap());
        let address = Some(address.parse().unwrap());
        let peer = Peer { address, ..Peer::default() };
        guard.enter(&mut headers, &peer, "Get").await.unwrap_err().why
    };
    let mut last = enter("10.0.0.1:1").await;
    assert!(matches!(last, Refused::Token(_)), "{last:?}");
    for _ in 0..10_000 {
        last = enter("10.0.0.1:1").await;
    }
    assert!(matches!(last, Refused::Flood { .. }), "{last:?}");
    assert!(matches!(enter("10.0.0.2:1").await, Refused::Token(_)));
}
