//! What may have been meant by a name that nobody knows.

/// How alike two names must be for one to be taken for the other mistyped.
const ALIKE: f64 = 0.75;

/// The known name nearest to one that is not known, if it is near enough.
pub(crate) fn nearest<'a>(
    wanted: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let alike = known.into_iter().map(|name| (strsim::jaro_winkler(wanted, name), name));
    let best = alike.max_by(|(one, _), (other, _)| one.total_cmp(other));
    best.filter(|(alike, _)| *alike >= ALIKE).map(|(_, name)| name.to_owned())
}

/// The same as the end of a sentence; empty where there is none.
pub(crate) fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn only_what_is_near_is_meant() {
        let known = ["system", "interfaces", "vlans"];
        let found = |wanted: &str| nearest(wanted, known);
        assert_eq!(found("sytem").as_deref(), Some("system"));
        assert_eq!(found("interface").as_deref(), Some("interfaces"));
        assert_eq!(found("nonsense"), None);
        assert_eq!(nearest("x", []), None);
    }
}
