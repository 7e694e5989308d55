//! The smallest piece of state.

use serde::{Deserialize, Serialize};

use crate::{Content, Index};

/// What stands at a path, and who wrote it last.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unit {
    /// What is there. None: nothing, and `writer` removed it.
    pub content: Option<Content>,
    /// The transaction that wrote this last.
    pub writer: Index,
}

impl Unit {
    /// Absent, and nobody has ever written it: what stands at every path to begin with.
    pub const NEVER: Self = Self { content: None, writer: Index::ZERO };

    /// This content, written by this transaction.
    pub fn present(content: Content, writer: Index) -> Self {
        Self { content: Some(content), writer }
    }

    /// Nothing, removed by this transaction.
    pub const fn absent(writer: Index) -> Self {
        Self { content: None, writer }
    }

    /// Whether this is [`Unit::NEVER`].
    pub fn is_never(&self) -> bool {
        self.content.is_none() && self.writer == Index::ZERO
    }
}
