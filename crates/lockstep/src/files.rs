//! How many files the process may have open: each connection is one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Makes use of as many as the process may ask for. Systems hand out fewer at first, for the sake of programs that
/// cannot count beyond a thousand.
pub(crate) fn use_all() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    if limit.current != limit.maximum
        && let Err(error) = setrlimit(Resource::Nofile, raised)
    {
        tracing::warn!(%error, ?limit, "the limit on open files stays as it is");
    }
}
