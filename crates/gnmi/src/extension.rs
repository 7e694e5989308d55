//! Extensions: who is master, commits that are to be confirmed, the options of a Set, its outcome or what
//! would come of it, and those of onos-config.

mod commit;
mod error;
mod fields;
pub mod onos;

pub use commit::{cancel, commit, commit_told, configuration_only, confirm};
pub use error::Error;

use prost::{Message, Name};
use prost_types::Any;

use crate::Election;
use crate::proto::gnmi_ext::extension::Ext;
use crate::proto::gnmi_ext::{
    Extension, ExtensionId, MasterArbitration, RegisteredExtension, Role,
};
use crate::proto::lockstep::v1::{Outcome, Preview, SetOptions};

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
    let any = at_most_one("lockstep.v1.SetOptions", ours::<SetOptions>(extensions))?;
    any.map(|any| decode(&any.value)).transpose()
}

/// The extension that carries the options of a Set.
pub fn with_options(options: &SetOptions) -> Extension {
    experimental(options)
}

/// The outcome that the answer to a Set carries, if it does.
pub fn outcome(extensions: &[Extension]) -> Option<Outcome> {
    let any = ours::<Outcome>(extensions).next()?;
    Outcome::decode(any.value.as_slice()).ok()
}

/// The extension that carries the outcome of a Set.
pub fn with_outcome(outcome: &Outcome) -> Extension {
    experimental(outcome)
}

/// What would change, by target, that the answer to a dry run carries, if it does.
pub fn preview(extensions: &[Extension]) -> Option<Preview> {
    let any = ours::<Preview>(extensions).next()?;
    Preview::decode(any.value.as_slice()).ok()
}

/// The extension that carries what would change.
pub fn with_preview(preview: &Preview) -> Extension {
    experimental(preview)
}

/// Refuses what belongs to Subscribe: passed over, its client would take the answer for that of another
/// time.
pub fn refuse_history(extensions: &[Extension]) -> Result<(), Error> {
    match extensions.iter().any(|extension| matches!(extension.ext, Some(Ext::History(_)))) {
        true => Err(Error::History),
        false => Ok(()),
    }
}

fn registered(extensions: &[Extension]) -> impl Iterator<Item = &RegisteredExtension> {
    extensions.iter().filter_map(|extension| match &extension.ext {
        Some(Ext::RegisteredExt(registered)) => Some(registered),
        _ => None,
    })
}

/// Messages of one type under the experimental number.
fn ours<M: Name>(extensions: &[Extension]) -> impl Iterator<Item = Any> {
    let experimental = registered(extensions)
        .filter(|registered| registered.id == i32::from(ExtensionId::EidExperimental));
    experimental
        .filter_map(|registered| Any::decode(registered.msg.as_slice()).ok())
        .filter(|any| type_name(any) == M::full_name())
}

fn experimental<M: Name>(message: &M) -> Extension {
    let any = Any { type_url: M::type_url(), value: message.encode_to_vec() };
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
