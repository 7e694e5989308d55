//! Who is calling: one answer for gNMI, the admin API and HTTP.
//!
//! | shown | known by | groups |
//! |---|---|---|
//! | `username` and `password` in the metadata, or HTTP Basic | the name of the user | as the user has them |
//! | `authorization: Bearer` | a claim of the token | a claim of the token |
//! | a client's certificate | its common name, else its first DNS name or URI | its organizational units |
//!
//! What is in the metadata counts before a certificate, and where it is wrong a certificate does not help.

mod certificate;
mod credentials;
mod der;
mod keys;
mod password;
mod throttle;
mod token;
mod validity;

use std::collections::BTreeSet;
use std::time::SystemTime;

use lockstep_protocol::record::ITSELF;

use crate::access::User;

pub use keys::{KeyError, Keys};
pub use password::{HashError, check_hash, hash};
pub use token::Issuer;

pub(crate) use certificate::identity as of_certificate;
pub(crate) use credentials::Credentials;
pub(crate) use password::{Passwords, Shown, Verdict};
pub(crate) use throttle::Throttle;
pub(crate) use token::{Error as TokenError, Issued, identity as of_token};
pub(crate) use validity::until as valid_until;

/// How somebody showed who they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// They did not.
    Not,
    Certificate,
    Password,
    Token,
    /// It is the node itself.
    Node,
}

impl How {
    /// The word for it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Not => "none",
            Self::Certificate => "certificate",
            Self::Password => "password",
            Self::Token => "token",
            Self::Node => "node",
        }
    }
}

/// Somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// Empty: nobody in particular.
    pub(crate) name: String,
    pub(crate) groups: BTreeSet<String>,
    pub(crate) how: How,
    /// When that ends; none: with the connection.
    pub(crate) until: Option<SystemTime>,
    /// The user they logged in as, who may be another by now.
    pub(crate) user: Option<User>,
    /// Who issued their token, who may be believed no more by now.
    pub(crate) issued: Option<Issued>,
}

impl Identity {
    /// Nobody in particular.
    pub(crate) fn nobody() -> Self {
        let (name, groups) = (String::new(), BTreeSet::new());
        Self { name, groups, how: How::Not, until: None, user: None, issued: None }
    }

    /// Whether it is by a token that one of these issued.
    pub(crate) fn is_vouched_for(&self, by: &[Issuer]) -> bool {
        self.issued.as_ref().is_some_and(|issued| issued.is_believed(by))
    }

    /// Whether it ended by itself.
    pub(crate) fn is_over(&self, now: SystemTime) -> bool {
        self.until.is_some_and(|until| until <= now)
    }
}

/// How long a name may be, in bytes.
const LONGEST: usize = 256;

/// Whether a name can stand in a log, a table and a record as it is.
pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.len() <= LONGEST && !text.chars().any(char::is_control)
}

/// Whether somebody can be called that. Not as nodes are called as the authors of what they do by themselves: nobody
/// could tell the two apart.
#[must_use]
pub fn is_persons_name(text: &str) -> bool {
    is_name(text) && text != ITSELF
}

#[cfg(test)]
mod tests {
    use super::{is_name, is_persons_name};

    #[test]
    fn nobody_is_called_as_nodes_are() {
        assert!(is_persons_name("alice") && is_persons_name("lockstep-operator"));
        assert!(!is_persons_name("lockstep") && is_name("lockstep"), "a group may be");
        assert!(!is_persons_name("") && !is_persons_name("a\nb"));
    }
}
