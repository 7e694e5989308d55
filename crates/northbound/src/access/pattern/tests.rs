//! Patterns, by example and by comparison with what each stands for.

use lockstep_types::Path;
use proptest::prelude::*;

use super::{Pattern, PatternError};

fn pattern(text: &str) -> Pattern {
    text.parse().unwrap()
}

fn path(text: &str) -> Path {
    text.parse().unwrap()
}

#[test]
fn a_pattern_covers_what_is_below_it() {
    for (rule, at, covered) in [
        ("/", "/", true),
        ("/**", "/", true),
        ("/", "/a/b", true),
        ("/a", "/a", true),
        ("/a/**", "/a", true),
        ("/a", "/a/b/c", true),
        ("/a", "/ab", false),
        ("/a", "/", false),
        ("/a/b", "/a", false),
        ("/*/b", "/a/b/c", true),
        ("/*/b", "/a/c", false),
        ("/**/b", "/b", true),
        ("/**/b", "/a/x/b/y", true),
        ("/**/b", "/a/x/c", false),
        ("/l[k=1]", "/l[k=1]/x", true),
        ("/l[k=1]", "/l[k=2]/x", false),
        ("/l[k=1]", "/l", false),
        ("/l[k=1]", "/l[k=*]", false),
        ("/l[k=*]", "/l", true),
        ("/l[k=eth*]", "/l[k=eth1/1]", true),
        ("/l[k=eth*]", "/l[k=*]", false),
        ("/l", "/l[k=1]", true),
        ("/a", "/m:a/b", true),
    ] {
        assert_eq!(pattern(rule).covers(&path(at)), covered, "{rule} {at}");
    }
}

/// Which would not end if each `**` was tried with each of the others.
#[test]
fn many_levels_of_any_number_are_little_work() {
    let rule = pattern(&format!("{}/b", "/**/a".repeat(60)));
    let deep = "/a".repeat(250);
    assert!(!rule.covers(&path(&deep)));
    assert!(rule.covers(&path(&format!("{deep}/b"))));
}

#[test]
fn a_request_with_wildcards_is_covered_only_as_a_whole() {
    for (rule, at, covered) in [
        ("/a", "/a/*", true),
        ("/a", "/a/...", true),
        ("/a", "/*", false),
        ("/a", "/...", false),
        ("/a/b", "/a/*", false),
        ("/a/*", "/a/*", true),
        ("/a/*", "/a/...", false),
        ("/a/**", "/a/...", true),
        ("/**", "/...", true),
        ("/**/b", "/.../b", true),
        ("/**/b", "/...", false),
        ("/a/b", "/.../b", false),
    ] {
        assert_eq!(pattern(rule).covers(&path(at)), covered, "{rule} {at}");
    }
}

#[test]
fn a_request_above_a_pattern_meets_it() {
    for (rule, at, met) in [
        ("/a/b", "/", true),
        ("/a/b", "/a", true),
        ("/a/b", "/a/b/c", true),
        ("/a/b", "/a/c", false),
        ("/a/b", "/c", false),
        ("/a/b", "/*", true),
        ("/a/b", "/*/c", false),
        ("/a/b", "/.../x", true),
        ("/l[k=1]", "/l", true),
        ("/l[k=1]", "/l[k=*]/x", true),
        ("/l[k=1]", "/l[k=2]", false),
        ("/**/b", "/a", true),
    ] {
        assert_eq!(pattern(rule).meets(&path(at)), met, "{rule} {at}");
    }
}

#[test]
fn what_is_no_pattern_says_why() {
    assert!(matches!("/m:a".parse::<Pattern>(), Err(PatternError::Module(_))));
    assert!(matches!("/a*".parse::<Pattern>(), Err(PatternError::Part(_))));
    assert!(matches!("/a[".parse::<Pattern>(), Err(PatternError::Path(_))));
}

/// Few names, so that they meet.
fn elements(wild: &'static [&'static str]) -> impl Strategy<Value = Vec<&'static str>> {
    let plain: &[&str] = &["a", "b", "l[k=1]", "l[k=2]"];
    prop::collection::vec(prop::sample::select([plain, wild].concat()), 0..5)
}

proptest! {
    /// Whatever a request that is covered stands for is covered; and what is covered is met.
    #[test]
    fn no_wildcard_reaches_beyond_a_pattern(
        rule in elements(&["*", "**", "l"]),
        request in elements(&["*", "...", "l", "l[k=*]"]),
        leaf in elements(&[]),
    ) {
        let rule = pattern(&format!("/{}", rule.join("/")));
        let request = path(&format!("/{}", request.join("/")));
        let leaf = path(&format!("/{}", leaf.join("/")));
        if request.covers(&leaf) {
            if rule.covers(&request) {
                prop_assert!(rule.covers(&leaf), "{rule} {request} {leaf}");
            }
            if rule.covers(&leaf) {
                prop_assert!(rule.meets(&request), "{rule} {request} {leaf}");
            }
        }
    }
}
