//! Our module beside the models.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::schema::{Id, Schema};

/// The name of the module.
pub(crate) const MODULE: &str = "lockstep-internal-values";

/// The member of a document that takes values for this leaf.
pub(super) fn member(id: Id) -> String {
    format!("{MODULE}:v{id}")
}

/// The module: a leaf-list for each leaf that can be configured or is a key.
pub(super) fn text(schema: &Schema) -> String {
    let leaves = schema.ids().filter(|id| {
        let node = schema.node(*id);
        node.is_leaf() && (node.config || node.is_key())
    });
    let mut prefixes = BTreeMap::new();
    let mut lists = String::new();
    for id in leaves {
        let path = path(schema, id, &mut prefixes);
        // Writing to a string does not fail.
        let _ = writeln!(
            lists,
            "leaf-list v{id} {{ config false; type leafref {{ path \"{path}\"; require-instance false; }} }}"
        );
    }
    let imports: String = prefixes
        .iter()
        .map(|(module, prefix)| format!("import {module} {{ prefix {prefix}; }}\n"))
        .collect();
    format!(
        "module {MODULE} {{ yang-version 1.1; namespace \"urn:lockstep:internal:values\"; \
         prefix lockstep;\n{imports}{lists}}}"
    )
}

fn path(schema: &Schema, id: Id, prefixes: &mut BTreeMap<String, String>) -> String {
    let step = |id: Id| {
        let node = schema.node(id);
        let next = format!("m{}", prefixes.len());
        let prefix = prefixes.entry(node.module.clone()).or_insert(next);
        format!("/{prefix}:{}", node.name)
    };
    schema.lineage(id).into_iter().map(step).collect()
}
