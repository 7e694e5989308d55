//! Why a text is not a path.

use std::fmt;

/// A text that is not a path. Positions are counted in characters, from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Something stands where something else should.
    #[error("path has {found} at character {position}, expected {expected}")]
    Syntax {
        /// Where.
        position: usize,
        /// What stands there.
        found: Found,
        /// What should.
        expected: Expected,
    },
    /// One element names the same key twice.
    #[error("path gives the key `{key}` a second time at character {position}")]
    DuplicateKey {
        /// Where the second one starts.
        position: usize,
        /// The name of the key.
        key: String,
    },
}

/// What stood in a text where it stopped being a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing more.
    End,
    /// This character.
    Character(char),
}

/// What could have stood there instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The name of an element.
    Name,
    /// The name of a key, after `[`.
    KeyName,
    /// The `=` between a key and its value.
    Equals,
    /// The `]` after the value of a key.
    KeyEnd,
    /// What may follow an element with keys.
    Next,
    /// What may follow `...`, which takes no keys.
    NextElement,
    /// What may follow a backslash.
    Escape,
    /// Four hexadecimal digits that are a character, after `\u`.
    Hexadecimal,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::End => f.write_str("its end"),
            Self::Character(character) => write!(f, "{character:?}"),
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Name => "the name of an element",
            Self::KeyName => "the name of a key",
            Self::Equals => "`=` and the value of the key",
            Self::KeyEnd => "`]` after the value of the key",
            Self::Next => "`/`, `[` or the end",
            Self::NextElement => "`/` or the end",
            Self::Escape => "punctuation, `n`, `r` or `u` after the backslash",
            Self::Hexadecimal => "the four hexadecimal digits of a character",
        })
    }
}
