//! What a call shows of who makes it.

use std::fmt;

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use data_encoding::BASE64;

/// What a call shows.
#[derive(PartialEq, Eq)]
pub(crate) enum Credentials {
    /// Nothing.
    None,
    Password {
        name: String,
        password: String,
    },
    Token(String),
    /// Something that cannot be read, or two things at once.
    Unreadable,
}

/// Never what is in it.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Password { .. } => "Password",
            Self::Token(_) => "Token",
            Self::Unreadable => "Unreadable",
        })
    }
}

/// The metadata of gNMI.
static USERNAME: HeaderName = HeaderName::from_static("username");
static PASSWORD: HeaderName = HeaderName::from_static("password");

impl Credentials {
    /// The name that goes with a password.
    pub(crate) fn user(&self) -> Option<&str> {
        match self {
            Self::Password { name, .. } => Some(name),
            Self::None | Self::Token(_) | Self::Unreadable => None,
        }
    }

    /// Takes them out: nobody behind has a use for them.
    pub(crate) fn take(headers: &mut HeaderMap) -> Self {
        let [name, password, authorization] =
            [&USERNAME, &PASSWORD, &header::AUTHORIZATION].map(|name| taken(headers, name));
        let plain = match (one(&name), one(&password)) {
            (Ok(name), Ok(password)) => (name.unwrap_or_default(), password.unwrap_or_default()),
            _ => return Self::Unreadable,
        };
        let Ok(authorization) = one(&authorization) else { return Self::Unreadable };
        match (plain, authorization) {
            // Some clients send both, empty, when they were given neither.
            (("", ""), None) => Self::None,
            (("", ""), Some(authorization)) => Self::authorization(authorization),
            ((name, password), None) => {
                Self::Password { name: name.to_owned(), password: password.to_owned() }
            }
            (_, Some(_)) => Self::Unreadable,
        }
    }

    fn authorization(text: &str) -> Self {
        let (scheme, rest) = text.split_once(' ').unwrap_or((text, ""));
        if scheme.eq_ignore_ascii_case("bearer") {
            return Self::Token(rest.trim().to_owned());
        }
        if scheme.eq_ignore_ascii_case("basic") {
            return basic(rest.trim()).unwrap_or(Self::Unreadable);
        }
        Self::Unreadable
    }
}

fn basic(encoded: &str) -> Option<Credentials> {
    let decoded = String::from_utf8(BASE64.decode(encoded.as_bytes()).ok()?).ok()?;
    let (name, password) = decoded.split_once(':')?;
    Some(Credentials::Password { name: name.to_owned(), password: password.to_owned() })
}

/// All values of a header, which has none from here on.
fn taken(headers: &mut HeaderMap, name: &HeaderName) -> Vec<HeaderValue> {
    // Most calls have at most two of them, and one look says which not.
    if !headers.contains_key(name) {
        return Vec::new();
    }
    let values = headers.get_all(name).iter().cloned().collect();
    headers.remove(name);
    values
}

/// The one value of a header, if there is any.
fn one(values: &[HeaderValue]) -> Result<Option<&str>, ()> {
    match values {
        [] => Ok(None),
        [value] => text(value).map(Some),
        _ => Err(()),
    }
}

fn text(value: &HeaderValue) -> Result<&str, ()> {
    std::str::from_utf8(value.as_bytes()).map_err(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(given: &[(&'static str, &str)]) -> Credentials {
        let mut headers = HeaderMap::new();
        for (name, value) in given {
            headers.append(*name, value.parse().unwrap());
        }
        let found = Credentials::take(&mut headers);
        assert!(headers.is_empty(), "they are left for nobody");
        found
    }

    fn password(name: &str, password: &str) -> Credentials {
        Credentials::Password { name: name.into(), password: password.into() }
    }

    #[test]
    fn every_way_is_read() {
        assert_eq!(read(&[]), Credentials::None);
        assert_eq!(read(&[("username", "a"), ("password", "b")]), password("a", "b"));
        assert_eq!(read(&[("username", "a")]), password("a", ""));
        let basic = [("authorization", "Basic YTpiOmM=")];
        assert_eq!(read(&basic), password("a", "b:c"));
        assert_eq!(read(&[("authorization", "bearer x.y.z")]), Credentials::Token("x.y.z".into()));
    }

    #[test]
    fn empty_metadata_is_none_and_an_empty_token_is_one() {
        assert_eq!(read(&[("username", ""), ("password", "")]), Credentials::None);
        let token = [("username", ""), ("password", ""), ("authorization", "Bearer x")];
        assert_eq!(read(&token), Credentials::Token("x".into()));
        assert_eq!(read(&[("authorization", "Bearer ")]), Credentials::Token(String::new()));
    }

    #[test]
    fn two_ways_at_once_are_none_of_them() {
        for given in [
            &[("username", "a"), ("password", "b"), ("authorization", "Bearer x")][..],
            &[("username", "a"), ("username", "b")],
            &[("authorization", "Bearer x"), ("authorization", "Bearer y")],
            &[("authorization", "Digest x")],
            &[("authorization", "Basic !")],
            &[("authorization", "Basic YQ==")],
        ] {
            assert_eq!(read(given), Credentials::Unreadable, "{given:?}");
        }
    }

    #[test]
    fn they_are_not_shown() {
        assert_eq!(format!("{:?}", password("a", "hunter2")), "Password");
    }
}
