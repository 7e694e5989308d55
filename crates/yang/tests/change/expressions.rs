//! Random XPath over random models.

use crate::Random;
use crate::models::{Kind, Models, Type};

/// The path of a node in the models.
pub(crate) fn schema_path(models: &Models, id: usize) -> String {
    let mut path = String::new();
    for id in models.lineage(id) {
        let node = &models.nodes[id];
        if let Some((choice, case)) = node.case {
            path.push_str(&format!("/{0}:x{choice}/{0}:x{choice}-{case}", node.module));
        }
        path.push_str(&format!("/{}:{}", node.module, node.name));
    }
    path
}

/// A way from one node to another, through the nearest node above both or from the root, and
/// sometimes by keys.
fn way(random: &mut Random, models: &Models, from: usize, to: usize, keys: bool) -> String {
    let (ours, theirs) = (models.lineage(from), models.lineage(to));
    let shared = ours.iter().zip(&theirs).take_while(|(a, b)| a == b).count().min(ours.len() - 1);
    let absolute = shared == 0 || random.chance(15);
    let (mut path, rest) = match absolute {
        true => (String::new(), &theirs[..]),
        false => ("/..".repeat(ours.len() - shared)[1..].to_owned(), &theirs[shared..]),
    };
    for id in rest {
        let node = &models.nodes[*id];
        path.push_str(&format!("/{}:{}", node.module, node.name));
        if keys && node_is_list(models, *id) && *id != to && random.chance(45) {
            path.push_str(&key(random, models, from, *id));
        }
    }
    path
}

/// Whether the module of a node may name another: the first does not know the second.
pub(crate) fn knows(models: &Models, from: usize, to: usize) -> bool {
    let known = |id: usize| models.nodes[id].module == "r";
    models.nodes[from].module == "s" || models.lineage(to).into_iter().all(known)
}

fn node_is_list(models: &Models, id: usize) -> bool {
    matches!(models.nodes[id].kind, Kind::List { .. })
}

/// A predicate on a key: a literal, or a leaf beside or above.
fn key(random: &mut Random, models: &Models, from: usize, list: usize) -> String {
    let keys: Vec<usize> =
        models.children(Some(list)).filter(|child| models.nodes[*child].key).collect();
    let key = *random.pick(&keys);
    let (name, module) = (&models.nodes[key].name, models.nodes[key].module);
    let leaves = models.children(models.nodes[from].parent);
    let near = |id: &usize| {
        let node = &models.nodes[*id];
        let other = *id != from && knows(models, from, *id);
        other && node.kind == Kind::Leaf && node.of != Type::Instance
    };
    let leaves: Vec<usize> = leaves.filter(near).collect();
    if leaves.is_empty() || random.chance(30) {
        return format!("[{module}:{name} = {}]", literal(random, &models.nodes[key].of));
    }
    let leaf = &models.nodes[*random.pick(&leaves)];
    format!("[{module}:{name} = current()/../{}:{}]", leaf.module, leaf.name)
}

/// The path of a leafref.
pub(crate) fn leafref(random: &mut Random, models: &Models, from: usize, to: usize) -> String {
    let keys = random.chance(40);
    let path = way(random, models, from, to, keys);
    // A leafref may not name a key by its value.
    if path.contains('\'') { way(random, models, from, to, false) } else { path }
}

fn literal(random: &mut Random, of: &Type) -> String {
    match of {
        Type::Small => format!("'{}'", random.below(4)),
        Type::Letter => format!("'{}'", random.pick(&["a", "b", "c"])),
        Type::Truth => format!("'{}'", random.pick(&["true", "false"])),
        Type::Ref { of, .. } => literal(random, of),
        Type::Instance => "''".to_owned(),
    }
}

/// A condition, which as a rule is true of most data.
pub(crate) fn condition(random: &mut Random, models: &Models, at: usize, own: bool) -> String {
    let one = term(random, models, at, own);
    match random.below(6) {
        0 => format!("{one} and {}", term(random, models, at, own)),
        1 | 2 => format!("{one} or {}", term(random, models, at, own)),
        _ => one,
    }
}

fn term(random: &mut Random, models: &Models, at: usize, own: bool) -> String {
    // A condition may not look at its own node.
    let lineage = models.lineage(at);
    let apart = |id: &usize| !models.lineage(*id).contains(&at) && !lineage.contains(id);
    let fine = |id: &usize| (own || apart(id)) && *id != at && knows(models, at, *id);
    let all: Vec<usize> = (0..models.nodes.len()).filter(fine).collect();
    if all.is_empty() {
        return "true()".to_owned();
    }
    let near: Vec<usize> =
        all.iter().copied().filter(|id| models.lineage(*id)[0] == lineage[0]).collect();
    let pool = if near.is_empty() || random.chance(30) { &all } else { &near };
    let to = *random.pick(pool);
    let path = way(random, models, at, to, true);
    if models.nodes[to].of == Type::Instance {
        // Compared with anything else, libyang tells of it even if nothing is wrong.
        return format!("count({path}) < 2");
    }
    let leaf = models.is_leaf(to);
    let value = literal(random, &models.nodes[to].of);
    let (name, module) = (&models.nodes[to].name, models.nodes[to].module);
    match random.below(24) {
        0..=2 if leaf => format!("{path} != {value}"),
        3..=5 if leaf => format!("not({path} = {value})"),
        6 | 7 if leaf => format!("{path} = {value}"),
        8 | 9 => path,
        10 => format!("not({path})"),
        11 | 12 => format!("count({path}) < {}", 1 + random.below(4)),
        13 => format!("string-length(string({path})) < {}", 1 + random.below(5)),
        14 => format!("count(//{module}:{name}) < {}", 2 + random.below(4)),
        15 if leaf => format!("not({path}[. = {value}])"),
        16 if own && models.is_leaf(at) => format!("not(. = {path})"),
        17 => "count(../*) < 5".to_owned(),
        18 if !path.ends_with("..") => format!("not({path}[2])"),
        // Of the other axes, libyang falls over many.
        19 if own => format!("count(../{module}:{name}) < 2"),
        20 if leaf => format!("sum({path}) < 9 or not(number({path}) = number({path}))"),
        21 => format!("count(../../*) < {}", 2 + random.below(4)),
        // Libyang falls over some unions.
        22 if own => format!("count({path}) < 3"),
        23 if matches!(models.nodes[to].of, Type::Ref { union: false, .. }) => {
            format!("not(deref({path}) = {value})")
        }
        _ => format!("not({path} = {value}) or count({path}) > 1"),
    }
}
