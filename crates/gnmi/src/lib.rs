//! gNMI and `lockstep.v1` on the wire: types made from our own .proto files, and conversion to the
//! words of `types`.
//!
//! Nothing else knows protobuf. What comes in is turned into types before anything looks at it,
//! what goes out is made of types at the last moment:
//!
//! ```text
//!   SetRequest ──► set::read ──► Operation { kind, target, origin, path, data }   ──► yang
//!                     ├─ path::read, path::target, path::origin      gnmi::Path ──► types::Path
//!                     └─ value::read                            TypedValue ──► (Form, JSON)
//!   Extension  ──► extension::arbitration, extension::options
//!
//!   types::Path ──► path::write          JSON ──► value::json          Outcome ──► outcome::status
//! ```
//!
//! Conversion needs no schema: whether a path exists, and what type a leaf has, is for `yang` to
//! say. Every error names what is wrong and where in the request, and its `code` is the gRPC code
//! that a server answers with.
//!
//! ```
//! use lockstep_gnmi::{path, value};
//!
//! let mtu = "/interfaces/interface[name=eth1/1]/mtu".parse()?;
//! let wire = path::write(&mtu);
//! assert_eq!(path::read(None, &wire)?, mtu);
//! let (form, json) = value::read(&value::json(&serde_json::json!(9000), true))?;
//! assert_eq!((form, json), (value::Form::Ietf, serde_json::json!(9000)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod brief;
pub mod change;
pub mod code;
pub mod codec;
pub mod election;
pub mod extension;
pub mod get;
pub mod json;
pub mod outcome;
pub mod path;
pub mod proto;
pub mod set;
pub mod value;
pub mod words;

pub use election::Election;
pub use proto::{DESCRIPTORS, NODE_DESCRIPTORS};

/// The version of gNMI that the wire types are of, as Capabilities tells it.
pub const VERSION: &str = "0.10.0";
