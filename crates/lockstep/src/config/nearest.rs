//! The known key nearest to one that is not known.

/// How alike two keys must be for one to be taken for the other mistyped.
const ALIKE: f64 = 0.7;

/// What to do about a key that nobody knows, given those that somebody does.
pub(super) fn hint<'a>(key: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let likeness = |candidate: &str| strsim::jaro_winkler(key, candidate);
    let nearest = known.clone().map(|candidate| (likeness(candidate), candidate));
    let nearest = nearest.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(alike, _)| *alike >= ALIKE);
    match nearest {
        Some((_, candidate)) => format!("did you mean `{candidate}`?"),
        None => format!("known keys: {}", known.collect::<Vec<_>>().join(", ")),
    }
}
