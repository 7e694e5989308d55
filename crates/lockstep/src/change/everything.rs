//! A Set that takes everything away from a target, or puts something else in its place: a slip of the pen is enough.

use std::collections::BTreeSet;

use lockstep_gnmi::proto::gnmi::{Path, SetRequest};

/// What to ask before a Set that is about all that a target has; none: it is about less.
pub(super) fn question(request: &SetRequest) -> Option<String> {
    let prefix = request.prefix.as_ref();
    let on = |path: &Path| {
        let named = Some(&path.target).filter(|target| !target.is_empty());
        named.or(prefix.map(|prefix| &prefix.target)).cloned().unwrap_or_default()
    };
    let all: BTreeSet<String> =
        request.delete.iter().filter(|path| is_everything(path)).map(on).collect();
    let replaced = request.replace.iter().filter_map(|update| update.path.as_ref());
    let replaced: BTreeSet<String> = replaced
        .filter(|path| is_everything(path))
        .map(on)
        .filter(|on| !all.contains(on))
        .collect();
    let names = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(", ");
    let said = match (all.is_empty(), replaced.is_empty()) {
        (true, true) => return None,
        (false, true) => format!("delete everything on {}", names(&all)),
        (true, false) => format!("replace everything on {}", names(&replaced)),
        (false, false) => {
            format!(
                "delete everything on {}, and replace everything on {}",
                names(&all),
                names(&replaced)
            )
        }
    };
    Some(format!("{said}?"))
}

/// The root, or wildcards that come to the same.
fn is_everything(path: &Path) -> bool {
    path.elem.iter().all(|element| matches!(element.name.as_str(), "*" | "..."))
}

#[cfg(test)]
mod tests {
    use lockstep_gnmi::change;

    use super::*;

    fn asked(file: &serde_json::Value) -> Option<String> {
        question(&change::read(file.clone()).unwrap())
    }

    #[test]
    fn only_what_is_about_everything_is_asked_for() {
        let some = serde_json::json!({"leaf1": {"delete": ["/vlans"], "replace": {"/system": {}}}});
        assert_eq!(asked(&some), None);
        let all = serde_json::json!({"leaf1": {"delete": ["/"]}, "leaf2": {"delete": ["/*"]}});
        assert_eq!(asked(&all).as_deref(), Some("delete everything on leaf1, leaf2?"));
        let both = serde_json::json!({"leaf1": {"delete": ["/"]}, "leaf2": {"replace": {"/": {}}}});
        let said = "delete everything on leaf1, and replace everything on leaf2?";
        assert_eq!(asked(&both).as_deref(), Some(said));
        let merged = serde_json::json!({"leaf1": {"update": {"/": {}}}});
        assert_eq!(asked(&merged), None, "that deletes nothing");
    }
}
