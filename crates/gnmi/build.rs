//! Makes the wire types from `proto/`, with no compiler to be installed for it.

use std::error::Error;
use std::path::PathBuf;

/// What a node serves.
const NODE: [&str; 5] = [
    "gnmi/gnmi.proto",
    "gnmi_ext/gnmi_ext.proto",
    "google/rpc/status.proto",
    "lockstep/v1/admin.proto",
    "lockstep/v1/set.proto",
];
/// What only a simulated device serves.
const SIMULATOR: &str = "lockstep/sim/v1/control.proto";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=proto");
    let mut compiler = protox::Compiler::new(["proto"])?;
    compiler.include_imports(true).include_source_info(true).open_files(NODE)?;

    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    // Reflection needs the imported files as well, and options the generator has no types for.
    std::fs::write(out.join("node.bin"), compiler.encode_file_descriptor_set())?;
    compiler.open_file(SIMULATOR)?;
    std::fs::write(out.join("descriptors.bin"), compiler.encode_file_descriptor_set())?;

    let mut config = tonic_prost_build::Config::new();
    // For `Any`, which carries the name of what is in it.
    config.enable_type_names().type_name_domain(["."], "type.googleapis.com");
    tonic_prost_build::configure()
        // Maps in the order of their keys: the same message is the same bytes.
        .btree_map(".")
        .codec_path("crate::codec::Lean")
        .compile_fds_with_config(compiler.file_descriptor_set(), config)?;
    Ok(())
}
