//! Extensions of onos-config, by which its clients go on working.

use std::collections::BTreeMap;

use prost::Message;

use super::{Error, at_most_one, registered};
use crate::proto::gnmi_ext::extension::Ext;
use crate::proto::gnmi_ext::{Extension, RegisteredExtension};

/// In an answer: what the transaction is called, and where it stands in the log.
const INFO: i32 = 110;
/// In a request: whether its client waits, and for what.
const STRATEGY: i32 = 111;
/// In a request: which models a target has.
const VERSIONS: i32 = 112;

#[derive(Clone, PartialEq, Message)]
struct Info {
    #[prost(string, tag = "1")]
    id: String,
    #[prost(uint64, tag = "2")]
    index: u64,
}

#[derive(Clone, PartialEq, Message)]
struct Strategy {
    /// 0: asynchronous, 1: synchronous.
    #[prost(int32, tag = "1")]
    synchronicity: i32,
    /// 0: the server's default, 1: serializable. All of ours are.
    #[prost(int32, tag = "2")]
    isolation: i32,
}

#[derive(Clone, PartialEq, Message)]
struct Versions {
    #[prost(btree_map = "string, message", tag = "1")]
    overrides: BTreeMap<String, Version>,
}

#[derive(Clone, PartialEq, Message)]
struct Version {
    #[prost(string, tag = "1")]
    kind: String,
    #[prost(string, tag = "2")]
    version: String,
}

/// Whether a Set is to be queued and answered with its decision (true), or atomic and answered with its
/// outcome; none: its client does not say.
pub fn asynchronous(extensions: &[Extension]) -> Result<Option<bool>, Error> {
    let Some(strategy) = decode::<Strategy>(STRATEGY, "111", extensions)? else {
        return Ok(None);
    };
    match (strategy.synchronicity, strategy.isolation) {
        (0, 0 | 1) => Ok(Some(true)),
        (1, 0 | 1) => Ok(Some(false)),
        _ => Err(Error::Strategy),
    }
}

/// The model set that a client takes each target to have, by the name of the target.
pub fn models(extensions: &[Extension]) -> Result<BTreeMap<String, String>, Error> {
    let versions = decode::<Versions>(VERSIONS, "112", extensions)?.unwrap_or_default();
    let name = |(target, Version { kind, version })| (target, format!("{kind}-{version}"));
    Ok(versions.overrides.into_iter().map(name).collect())
}

/// The extension that says what a transaction is called, and where it stands in the log.
pub fn info(id: &str, index: u64) -> Extension {
    let msg = Info { id: id.to_owned(), index }.encode_to_vec();
    Extension { ext: Some(Ext::RegisteredExt(RegisteredExtension { id: INFO, msg })) }
}

fn decode<M: Message + Default>(
    number: i32,
    what: &'static str,
    extensions: &[Extension],
) -> Result<Option<M>, Error> {
    let found = registered(extensions).filter(|registered| registered.id == number);
    let found = at_most_one(what, found)?;
    let read = |one: &RegisteredExtension| M::decode(one.msg.as_slice());
    let decoded = found.map(read).transpose();
    decoded.map_err(|error| Error::Onos { number, message: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extension(id: i32, msg: Vec<u8>) -> Extension {
        Extension { ext: Some(Ext::RegisteredExt(RegisteredExtension { id, msg })) }
    }

    #[test]
    fn a_strategy_is_sync_or_async() {
        assert_eq!(asynchronous(&[]), Ok(None));
        assert_eq!(asynchronous(&[extension(111, vec![])]), Ok(Some(true)));
        assert_eq!(asynchronous(&[extension(111, vec![8, 1, 16, 1])]), Ok(Some(false)));
        assert_eq!(asynchronous(&[extension(111, vec![8, 2])]), Err(Error::Strategy));
        assert!(matches!(asynchronous(&[extension(111, vec![8])]), Err(Error::Onos { .. })));
        let twice = [extension(111, vec![]), extension(111, vec![])];
        assert_eq!(asynchronous(&twice), Err(Error::Twice { what: "111" }));
    }

    #[test]
    fn models_are_named_by_type_and_version() {
        let version = Version { kind: "lab".into(), version: "1.0".into() };
        let versions = Versions { overrides: BTreeMap::from([("leaf1".into(), version)]) };
        let named = models(&[extension(112, versions.encode_to_vec())]).unwrap();
        assert_eq!(named, BTreeMap::from([("leaf1".into(), "lab-1.0".into())]));
    }

    #[test]
    fn an_answer_names_its_transaction() {
        let Some(Ext::RegisteredExt(told)) = info("a", 7).ext else { panic!("nothing") };
        assert_eq!((told.id, told.msg), (110, vec![10, 1, b'a', 16, 7]));
    }
}
