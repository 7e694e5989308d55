//! Extensions: who is master, and the options of a Set.

mod error;
mod fields;

pub use error::Error;

use prost::{Message, Name};
use prost_types::Any;

use crate::Election;
use crate::proto::gnmi_ext::extension::Ext;
use crate::proto::gnmi_ext::{
    Extension, ExtensionId, MasterArbitration, RegisteredExtension, Role,
};
use crate::proto::lockstep::v1::SetOptions;

/// What a client says about who is master.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arbitration {
    /// Among the clients of which role. Empty is a role like any other: that of clients that name
    /// none.
    pub role: String,
    /// The client's own id.
    pub election: Election,
}

/// The master arbitration of a request, if it has one.
pub fn arbitration(extensions: &[Extension]) -> Result<Option<Arbitration>, Error> {
    let claims = extensions.iter().filter_map(|extension| match &extension.ext {
        Some(Ext::MasterArbitration(claim)) => Some(claim),
        _ => None,
    });
    let Some(claim) = at_most_one("master arbitration", claims)? else {
        return Ok(None);
    };
    let role = claim.role.as_ref().map_or_else(String::new, |role| role.id.clone());
    let election = claim.election_id.ok_or(Error::NoElection)?.into();
    Ok(Some(Arbitration { role, election }))
}

/// The extension with which a master says who it is. An empty role is left out, which is the same to a
/// device, and is all that some of them take.
pub fn claim(arbitration: &Arbitration) -> Extension {
    let named = !arbitration.role.is_empty();
    let claim = MasterArbitration {
        role: named.then(|| Role { id: arbitration.role.clone() }),
        election_id: Some(arbitration.election.into()),
    };
    Extension { ext: Some(Ext::MasterArbitration(claim)) }
}

/// The options of a Set, if it has any. Ours is one of possibly many uses of the experimental
/// number, so another type there is passed over; a field of ours that we do not know is not, for
/// the client relies on it.
pub fn options(extensions: &[Extension]) -> Result<Option<SetOptions>, Error> {
    let mut found = Vec::new();
    for extension in extensions {
        if let Some(Ext::RegisteredExt(registered)) = &extension.ext
            && registered.id == i32::from(ExtensionId::EidExperimental)
            && let Ok(any) = Any::decode(registered.msg.as_slice())
            && type_name(&any) == SetOptions::full_name()
        {
            found.push(any);
        }
    }
    let any = at_most_one("lockstep.v1.SetOptions", found.into_iter())?;
    any.map(|any| decode(&any.value)).transpose()
}

/// The extension that carries the options of a Set.
pub fn with_options(options: &SetOptions) -> Extension {
    let any = Any { type_url: SetOptions::type_url(), value: options.encode_to_vec() };
    let registered =
        RegisteredExtension { id: ExtensionId::EidExperimental.into(), msg: any.encode_to_vec() };
    Extension { ext: Some(Ext::RegisteredExt(registered)) }
}

fn decode(bytes: &[u8]) -> Result<SetOptions, Error> {
    if let Some(number) = fields::unknown(bytes, &fields::SET_OPTIONS)? {
        return Err(Error::UnknownOption { number });
    }
    SetOptions::decode(bytes).map_err(|error| Error::Malformed { message: error.to_string() })
}

/// What follows the last slash of the URL; the host before it says nothing.
fn type_name(any: &Any) -> &str {
    any.type_url.rsplit_once('/').map_or(&any.type_url, |(_, name)| name)
}

fn at_most_one<T>(
    what: &'static str,
    mut found: impl Iterator<Item = T>,
) -> Result<Option<T>, Error> {
    let first = found.next();
    if found.next().is_some() { Err(Error::Twice { what }) } else { Ok(first) }
}

#[cfg(test)]
mod tests;
