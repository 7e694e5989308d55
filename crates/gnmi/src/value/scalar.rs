//! Typed scalars, and arrays of them.

use lockstep_types::{Binary, Decimal64};
use serde_json::{Number, Value};

use super::Error;
use crate::proto::gnmi::ScalarArray;
use crate::proto::gnmi::typed_value::Value as Wire;

/// The JSON of a scalar.
pub(super) fn read(scalar: &Wire) -> Result<Value, Error> {
    match scalar {
        Wire::StringVal(text) => Ok(Value::from(text.as_str())),
        Wire::IntVal(number) => Ok(Value::from(*number)),
        Wire::UintVal(number) => Ok(Value::from(*number)),
        Wire::BoolVal(truth) => Ok(Value::from(*truth)),
        Wire::BytesVal(bytes) => Ok(Value::from(Binary::new(bytes.as_slice()).to_string())),
        // By way of its text: 1.1 as a float is 1.1, not the double nearest to that float.
        Wire::FloatVal(number) => finite(number.to_string().parse().unwrap_or(f64::NAN)),
        Wire::DoubleVal(number) => finite(*number),
        Wire::DecimalVal(decimal) => self::decimal(decimal.digits, decimal.precision),
        Wire::LeaflistVal(_)
        | Wire::AnyVal(_)
        | Wire::JsonVal(_)
        | Wire::JsonIetfVal(_)
        | Wire::AsciiVal(_)
        | Wire::ProtoBytes(_) => Err(Error::Unsupported { encoding: name(scalar) }),
    }
}

/// The JSON array of the scalars in a leaf-list.
pub(super) fn array(array: &ScalarArray) -> Result<Value, Error> {
    let items = (1..).zip(&array.element).map(|(number, item)| match &item.value {
        None => Err(Error::Item { number, source: Box::new(Error::Empty) }),
        Some(nested @ (Wire::LeaflistVal(_) | Wire::JsonVal(_) | Wire::JsonIetfVal(_))) => {
            Err(Error::Nested { number, encoding: name(nested) })
        }
        Some(scalar) => {
            read(scalar).map_err(|source| Error::Item { number, source: Box::new(source) })
        }
    });
    items.collect()
}

fn finite(number: f64) -> Result<Value, Error> {
    let finite = Number::from_f64(number).map(Value::Number);
    finite.ok_or_else(|| Error::NotFinite { number: number.to_string() })
}

/// As a string: a JSON number would be a floating-point one, and lose digits.
fn decimal(digits: i64, precision: u32) -> Result<Value, Error> {
    if precision == 0 {
        return Ok(Value::from(digits.to_string()));
    }
    let fraction = u8::try_from(precision).map_err(|_| Error::Precision { precision })?;
    let decimal = Decimal64::new(digits, fraction).map_err(|_| Error::Precision { precision })?;
    Ok(Value::from(decimal.to_string()))
}

/// The name of a field on the wire.
fn name(value: &Wire) -> &'static str {
    match value {
        Wire::StringVal(_) => "string_val",
        Wire::IntVal(_) => "int_val",
        Wire::UintVal(_) => "uint_val",
        Wire::BoolVal(_) => "bool_val",
        Wire::BytesVal(_) => "bytes_val",
        Wire::FloatVal(_) => "float_val",
        Wire::DecimalVal(_) => "decimal_val",
        Wire::LeaflistVal(_) => "leaflist_val",
        Wire::AnyVal(_) => "any_val",
        Wire::JsonVal(_) => "json_val",
        Wire::JsonIetfVal(_) => "json_ietf_val",
        Wire::AsciiVal(_) => "ascii_val",
        Wire::ProtoBytes(_) => "proto_bytes",
        Wire::DoubleVal(_) => "double_val",
    }
}
