//! The names of records as keys: readable, and in the order of what they name.
//!
//! Numbers have all twenty digits. A slash within a name is written `%2F`, so that the slashes of a
//! key are always between its parts and one target's keys are a range of their own.

use std::fmt::Display;

use lockstep_protocol::record::Key;
use lockstep_types::{Index, Revision, SessionId, Target, TransactionId};

use crate::Error;
use crate::kv::Bytes;

/// A key of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// The format level of the store.
    Format,
    /// The epoch of the store.
    Epoch,
    /// Changes with each session that begins.
    Begun,
    /// An import that has not come to its end.
    Import,
    /// A part of the value of another key, which was too long to be written at once.
    Body(Bytes, u64, u64),
    /// A record; of a configuration, its header.
    Record(Key),
    /// What one write changed, decided on the header of this revision.
    Delta(Target, Revision),
    /// What a snapshot consists of.
    Snapshot(Target),
    /// A piece of the snapshot before this delta.
    Chunk(Target, Revision, u64),
}

impl Name {
    pub(super) fn bytes(&self) -> Bytes {
        self.text().into_bytes().into()
    }

    fn text(&self) -> String {
        match self {
            Self::Format => "meta/format".into(),
            Self::Epoch => "meta/epoch".into(),
            Self::Begun => "meta/begun".into(),
            Self::Import => "meta/import".into(),
            Self::Body(key, unique, number) => {
                format!("body/{}/{unique:020}/{number:020}", escape(String::from_utf8_lossy(key)))
            }
            Self::Record(key) => record(key),
            Self::Delta(target, base) => format!("{}{base:020}", Self::deltas(target)),
            Self::Snapshot(target) => format!("snapshot/{}", escape(target)),
            Self::Chunk(target, from, number) => {
                format!("{}{from:020}/{number:020}", Self::chunks(target))
            }
        }
    }

    /// What it is the name of, in a word.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Format | Self::Epoch | Self::Begun | Self::Import => "meta",
            Self::Body(..) => "body",
            Self::Delta(..) => "delta",
            Self::Snapshot(_) => "snapshot",
            Self::Chunk(..) => "chunk",
            Self::Record(key) => match key {
                Key::Head => "head",
                Key::Horizon => "horizon",
                Key::Id(_) => "id",
                Key::Transaction(_) => "transaction",
                Key::Proposal(..) => "proposal",
                Key::Part(..) => "part",
                Key::Configuration(_) => "configuration",
                Key::Marks(_) => "marks",
                Key::Drifted(_) => "drifted",
                Key::Mastership(_) => "mastership",
                Key::Binding(_) => "binding",
                Key::Session(_) => "session",
            },
        }
    }

    /// How the key of every chunk begins.
    pub(super) const CHUNKS: &str = "chunk/";

    /// What the deltas of a target begin with.
    pub(super) fn deltas(target: &Target) -> String {
        format!("delta/{}/", escape(target))
    }

    /// What the chunks of a target begin with.
    pub(super) fn chunks(target: &Target) -> String {
        format!("{}{}/", Self::CHUNKS, escape(target))
    }

    pub(super) fn parse(key: &[u8]) -> Result<Self, Error> {
        let text = std::str::from_utf8(key).map_err(|e| Error::unreadable(key, e))?;
        let parts: Vec<&str> = text.split('/').collect();
        parse(&parts).ok_or_else(|| Error::unreadable(key, "it is no key of ours"))
    }
}

fn record(key: &Key) -> String {
    match key {
        Key::Head => "head".into(),
        Key::Horizon => "horizon".into(),
        Key::Id(id) => format!("id/{}", escape(id)),
        Key::Transaction(index) => format!("transaction/{index:020}"),
        Key::Proposal(index, target) => format!("proposal/{index:020}/{}", escape(target)),
        Key::Part(index, target) => format!("part/{index:020}/{}", escape(target)),
        Key::Configuration(target) => format!("configuration/{}", escape(target)),
        Key::Marks(target) => format!("marks/{}", escape(target)),
        Key::Drifted(target) => format!("drifted/{}", escape(target)),
        Key::Mastership(target) => format!("mastership/{}", escape(target)),
        Key::Binding(target) => format!("binding/{}", escape(target)),
        Key::Session(session) => format!("session/{}", escape(session)),
    }
}

fn parse(parts: &[&str]) -> Option<Name> {
    Some(match parts {
        ["meta", "format"] => Name::Format,
        ["meta", "epoch"] => Name::Epoch,
        ["meta", "begun"] => Name::Begun,
        ["meta", "import"] => Name::Import,
        ["body", key, unique, number] => {
            let key = unescape(key)?.into_bytes().into();
            Name::Body(key, self::number(unique)?, self::number(number)?)
        }
        ["delta", target, base] => Name::Delta(self::target(target)?, revision(base)?),
        ["snapshot", target] => Name::Snapshot(self::target(target)?),
        ["chunk", target, from, number] => {
            Name::Chunk(self::target(target)?, revision(from)?, self::number(number)?)
        }
        ["head"] => Name::Record(Key::Head),
        ["horizon"] => Name::Record(Key::Horizon),
        ["id", id] => Name::Record(Key::Id(TransactionId::new(unescape(id)?).ok()?)),
        ["transaction", index] => Name::Record(Key::Transaction(Index::new(number(index)?))),
        ["proposal", index, target] => {
            Name::Record(Key::Proposal(Index::new(number(index)?), self::target(target)?))
        }
        ["part", index, target] => {
            Name::Record(Key::Part(Index::new(number(index)?), self::target(target)?))
        }
        ["configuration", target] => Name::Record(Key::Configuration(self::target(target)?)),
        ["drifted", target] => Name::Record(Key::Drifted(self::target(target)?)),
        ["marks", target] => Name::Record(Key::Marks(self::target(target)?)),
        ["mastership", target] => Name::Record(Key::Mastership(self::target(target)?)),
        ["binding", target] => Name::Record(Key::Binding(self::target(target)?)),
        ["session", id] => Name::Record(Key::Session(SessionId::new(unescape(id)?).ok()?)),
        _ => return None,
    })
}

fn number(text: &str) -> Option<u64> {
    (text.len() == 20).then(|| text.parse().ok()).flatten()
}

fn revision(text: &str) -> Option<Revision> {
    number(text).map(Revision::new)
}

fn target(text: &str) -> Option<Target> {
    Target::new(unescape(text)?).ok()
}

fn escape(name: impl Display) -> String {
    name.to_string().replace('%', "%25").replace('/', "%2F")
}

fn unescape(text: &str) -> Option<String> {
    let name = text.replace("%2F", "/").replace("%25", "%");
    (escape(&name) == text).then_some(name)
}

#[cfg(test)]
mod tests {
    //! Keys are read back, sort as what they name, and keep targets apart.

    use super::{Index, Key, Name, Revision, SessionId, Target, TransactionId};

    fn target(name: &str) -> Target {
        Target::new(name).unwrap()
    }

    #[test]
    fn every_key_is_read_back() {
        for name in ["leaf1", "a/b", "%2F", "50%", "%", "a%25/b", "é/", "/"] {
            let records = [
                Key::Head,
                Key::Horizon,
                Key::Id(TransactionId::new(name).unwrap()),
                Key::Transaction(Index::new(7)),
                Key::Proposal(Index::new(u64::MAX), target(name)),
                Key::Part(Index::new(3), target(name)),
                Key::Configuration(target(name)),
                Key::Marks(target(name)),
                Key::Drifted(target(name)),
                Key::Mastership(target(name)),
                Key::Binding(target(name)),
                Key::Session(SessionId::new(name).unwrap()),
            ];
            let others = [
                Name::Format,
                Name::Epoch,
                Name::Begun,
                Name::Import,
                Name::Body(Name::Snapshot(target(name)).bytes(), 5, 1),
                Name::Delta(target(name), Revision::new(3)),
                Name::Snapshot(target(name)),
                Name::Chunk(target(name), Revision::new(3), 12),
            ];
            for key in records.map(Name::Record).into_iter().chain(others) {
                assert_eq!(Name::parse(&key.bytes()).unwrap(), key);
            }
        }
    }

    #[test]
    fn keys_are_readable_and_in_order() {
        let key = |index| Name::Record(Key::Proposal(Index::new(index), target("leaf1"))).bytes();
        assert_eq!(&*key(42), b"proposal/00000000000000000042/leaf1");
        assert!(key(9) < key(10) && key(10) < key(u64::MAX));
    }

    #[test]
    fn what_is_no_key_of_ours_is_refused() {
        for key in ["", "heads", "transaction/7", "id/", "id/a%2", "delta/leaf1", "head/x"] {
            assert!(Name::parse(key.as_bytes()).is_err(), "{key}");
        }
        assert!(Name::parse(b"id/\xff").is_err());
    }
}
