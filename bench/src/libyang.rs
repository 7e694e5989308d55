//! The floor of a Get: libyang printing the same data from a tree of its own.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::{Value, json};
use yang5::context::{Context, ContextFlags};
use yang5::data::{
    Data, DataFormat, DataParserFlags, DataPrinterFlags, DataTree, DataValidationFlags,
};

use crate::Failed;

/// How often it is printed; the best counts, since noise only adds.
const TIMES: usize = 7;

/// An interface of the lab model, with four leaves.
pub(crate) fn interface(number: usize) -> Value {
    json!({
        "name": format!("ethernet-1/{number}"), "description": format!("to rack {number}"),
        "enabled": true, "mtu": 9000,
    })
}

/// Where the lab model is.
pub(crate) fn lab() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../models/lab")
}

/// Prints so many leaves.
pub(crate) fn print(leaves: usize) -> Result<Value, Failed> {
    let mut context = Context::new(ContextFlags::NO_YANGLIBRARY)?;
    context.set_searchdir(lab())?;
    context.load_module("lab", None, &[])?;
    let data = if leaves == 1 {
        json!({ "lab:system": { "motd": "hello" } })
    } else {
        let all: Value = (0..leaves / 4).map(interface).collect();
        json!({ "lab:interfaces": { "interface": all } })
    };
    let (parser, validation) = (DataParserFlags::empty(), DataValidationFlags::NO_STATE);
    let tree =
        DataTree::parse_string(&context, data.to_string(), DataFormat::JSON, parser, validation)?;
    let (mut best, mut bytes) = (f64::INFINITY, 0);
    for _ in 0..TIMES {
        let flags = DataPrinterFlags::WITH_SIBLINGS | DataPrinterFlags::SHRINK;
        let start = Instant::now();
        bytes = std::hint::black_box(tree.print_string(DataFormat::JSON, flags)?).len();
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(json!({ "milliseconds": best, "bytes": bytes }))
}
