//! How values are written on the wire.

use lockstep_gnmi::proto::gnmi::{Encoding as Wire, TypedValue};
use lockstep_gnmi::value;
use lockstep_types::{Content, Path};
use lockstep_yang::{Fate, Form, ModelSet};
use serde_json::json;
use tonic::Status;

use crate::veil::{MASK, Veil};

/// One of those that Capabilities lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Of either form.
    Json(Form),
    /// Leaf by leaf, in the types of the wire.
    Proto,
}

impl Encoding {
    pub(super) fn read(number: i32) -> Result<Self, Status> {
        match Wire::try_from(number) {
            Ok(Wire::Json) => Ok(Self::Json(Form::Json)),
            Ok(Wire::JsonIetf) => Ok(Self::Json(Form::Ietf)),
            Ok(Wire::Proto) => Ok(Self::Proto),
            Ok(other) => Err(Status::unimplemented(format!(
                "encoding {} is not supported; ask for JSON, JSON_IETF or PROTO",
                other.as_str_name()
            ))),
            Err(_) => Err(Status::invalid_argument(format!("there is no encoding {number}"))),
        }
    }

    /// The form in which devices are asked: all of them can be read in it.
    pub(super) fn form(self) -> Form {
        match self {
            Self::Json(form) => form,
            Self::Proto => Form::Ietf,
        }
    }

    /// One unit, as somebody may see it; none for what they may not, or what the models have no place for.
    pub(super) fn unit(
        self,
        models: &ModelSet,
        veil: &Veil,
        path: &Path,
        content: &Content,
    ) -> Option<TypedValue> {
        match veil.fate(path) {
            Fate::Keep => {}
            Fate::Drop => return None,
            Fate::Mask => return Some(self.masked(content)),
        }
        let json = models.encode(path, content, self.form()).ok()?;
        Some(match self {
            Self::Json(form) => value::json(&json, form == Form::Ietf),
            Self::Proto => value::typed(content, &json),
        })
    }

    /// A leaf-list stays one, and does not tell how many values it has.
    fn masked(self, content: &Content) -> TypedValue {
        let (mask, json) = match content {
            Content::LeafList(_) => (Content::leaf_list([MASK]), json!([MASK])),
            _ => (Content::leaf(MASK), json!(MASK)),
        };
        match self {
            Self::Json(form) => value::json(&json, form == Form::Ietf),
            Self::Proto => value::typed(&mask, &json),
        }
    }
}
