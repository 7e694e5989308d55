//! A route: what it is called, what it takes, what it gives, and who sees to it. The table of them is what is served,
//! and what the OpenAPI document says.

use futures_util::future::BoxFuture;
use tonic::Status;

use super::answer::Answer;
use super::asked::Asked;
use crate::admin;

/// One route.
#[derive(Debug)]
pub(super) struct Route {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    /// What it is called in the document.
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) parameters: &'static [Parameter],
    pub(super) takes: Takes,
    pub(super) gives: Gives,
    pub(super) serve: Serve,
}

/// Whoever sees to a request.
pub(super) type Serve = fn(admin::Service, Asked) -> BoxFuture<'static, Result<Answer, Status>>;

/// The body of a request, by the name of its schema.
#[derive(Clone, Copy, Debug)]
pub(super) enum Takes {
    Nothing,
    /// Or nothing.
    MaybeBody(&'static str),
    Body(&'static str),
}

/// What an answer is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Gives {
    /// One of these.
    One(&'static str),
    /// Any number of these.
    Many(&'static str),
    /// Server-sent events, with what each of them has.
    Events(&'static [(&'static str, &'static str)]),
    /// A file.
    File,
}

/// What can be said beside the path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) form: Form,
    pub(super) about: &'static str,
}

/// The form of a parameter.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    Text,
    /// May be given several times.
    Texts,
    Number,
    Flag,
    /// RFC 3339.
    Time,
    Seconds,
    OneOf(&'static [&'static str]),
    /// May be given several times.
    SomeOf(&'static [&'static str]),
}

impl Form {
    /// Whether it may be given several times.
    pub(super) fn is_many(self) -> bool {
        matches!(self, Self::Texts | Self::SomeOf(_))
    }

    /// The only words that it may be; none: any.
    pub(super) fn words(self) -> Option<&'static [&'static str]> {
        match self {
            Self::OneOf(words) | Self::SomeOf(words) => Some(words),
            _ => None,
        }
    }
}
