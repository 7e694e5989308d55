//! The wire types, as generated. Their documentation is in the `.proto` files.

/// Everything a package says is said in its `.proto` file.
macro_rules! package {
    ($(#[$doc:meta])* $name:ident, $package:literal) => {
        $(#[$doc])*
        #[allow(
            missing_docs,
            unreachable_pub,
            unused_qualifications,
            clippy::all,
            clippy::allow_attributes_without_reason,
            reason = "generated code"
        )]
        pub mod $name {
            tonic::include_proto!($package);
        }
    };
}

package! {
    /// gNMI 0.10.
    gnmi, "gnmi"
}
package! {
    /// The extensions of gNMI.
    gnmi_ext, "gnmi_ext"
}

/// What is Google's and not among the types every protobuf library brings.
pub mod google {
    package! {
        /// The rich form of a status.
        rpc, "google.rpc"
    }
}

/// Ours.
pub mod lockstep {
    package! {
        /// The admin service, and what a Set carries beyond gNMI.
        v1, "lockstep.v1"
    }

    /// The simulator's.
    pub mod sim {
        package! {
            /// Faults on demand.
            v1, "lockstep.sim.v1"
        }
    }
}

/// How many bytes a message takes on the wire.
pub fn size(message: &impl prost::Message) -> usize {
    message.encoded_len()
}

/// What a node serves, as an encoded `FileDescriptorSet`, for server reflection.
pub const NODE_DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/node.bin"));

/// All of it as an encoded `FileDescriptorSet`, for server reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
