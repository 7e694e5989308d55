//! Seeds that once found something.

/// One in each line, with what it found. A seed is a way through the program as it was: what it meets today may be something
/// else, so what it found has a test of its own as well, which docs/robustness.md names.
const KEPT: &str = include_str!("../seeds.txt");

/// The seeds, in the order of the file.
pub(crate) fn seeds() -> Vec<u64> {
    let lines = KEPT.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_a_seed_and_what_it_found() {
        let lines = KEPT.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let lines: Vec<&str> = lines.collect();
        assert_eq!(lines.len(), seeds().len());
        assert!(lines.iter().all(|line| line.split_whitespace().count() > 1));
    }
}
