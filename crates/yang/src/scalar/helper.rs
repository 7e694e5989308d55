//! Our module beside the models.

use std::collections::BTreeMap;

use crate::schema::{Id, Schema};

/// The name of the module.
pub(crate) const MODULE: &str = "lockstep-internal-values";

/// How many leaves share a container. libyang looks for the place of a node among its siblings one by
/// one, so neither level may be long.
const SHARED: usize = 64;

/// Where in a document values for this leaf stand: a container in a container.
pub(super) fn place(id: Id) -> (String, String) {
    (format!("{MODULE}:c{}", id / SHARED), format!("v{id}"))
}

/// The name of the leaf-list in there.
pub(super) const VALUES: &str = "v";

/// The module: a leaf-list for each leaf that can be configured or is a key.
pub(super) fn text(schema: &Schema) -> String {
    let mut prefixes = BTreeMap::new();
    let mut shared: BTreeMap<usize, String> = BTreeMap::new();
    for id in schema.ids() {
        let node = schema.node(id);
        if node.is_leaf() && (node.config || node.is_key()) {
            let list = list(id, &path(schema, id, &mut prefixes));
            shared.entry(id / SHARED).or_default().push_str(&list);
        }
    }
    let import = |(module, prefix)| format!("import {module} {{ prefix {prefix}; }}\n");
    let imports: String = prefixes.iter().map(import).collect();
    let container = |(number, lists)| format!("container c{number} {{ config false; {lists} }}\n");
    let containers: String = shared.iter().map(container).collect();
    format!(
        "module {MODULE} {{ yang-version 1.1; namespace \"urn:lockstep:internal:values\"; \
         prefix lockstep;\n{imports}{containers}}}"
    )
}

fn list(id: Id, path: &str) -> String {
    format!(
        "container v{id} {{ leaf-list {VALUES} {{ \
         type leafref {{ path \"{path}\"; require-instance false; }} }} }}\n"
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
