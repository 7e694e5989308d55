//! gNMI and `lockstep.v1` on the wire: types made from our own .proto files, and conversion to the words of `types`.

pub mod proto;

pub use proto::DESCRIPTORS;
