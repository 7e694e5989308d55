//! Fields that a message has on the wire and not in our types. The decoder drops them silently, so
//! they are looked for in the bytes.

use prost::bytes::Buf;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

use super::Error;

/// What is known of a message: its fields, and which of them are messages to look into.
pub(super) struct Known {
    fields: u32,
    nested: &'static [(u32, Known)],
}

/// `google.protobuf.Duration`: seconds and nanos.
const DURATION: Known = Known { fields: 2, nested: &[] };
/// `lockstep.v1.SetOptions`, fields 1 to 7.
pub(super) const SET_OPTIONS: Known = Known { fields: 7, nested: &[(5, DURATION), (7, DURATION)] };

/// The first field that is not known, here or in a message inside.
pub(super) fn unknown(bytes: &[u8], known: &Known) -> Result<Option<u32>, Error> {
    let mut rest = bytes;
    while rest.has_remaining() {
        let (number, wire) = decode_key(&mut rest).map_err(malformed)?;
        if number > known.fields {
            return Ok(Some(number));
        }
        let nested = known.nested.iter().find(|(field, _)| *field == number);
        if let (Some((_, inner)), WireType::LengthDelimited) = (nested, wire) {
            let bytes = delimited(&mut rest)?;
            if let Some(number) = unknown(bytes, inner)? {
                return Ok(Some(number));
            }
        } else {
            skip_field(wire, number, &mut rest, DecodeContext::default()).map_err(malformed)?;
        }
    }
    Ok(None)
}

fn delimited<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], Error> {
    let length = decode_varint(rest).map_err(malformed)?;
    let cut = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
    let (bytes, after) = cut.ok_or_else(|| Error::Malformed { message: "cut short".into() })?;
    *rest = after;
    Ok(bytes)
}

#[allow(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
fn malformed(error: prost::DecodeError) -> Error {
    Error::Malformed { message: error.to_string() }
}
