//! Expressions as YANG modules have them.

use super::{Axis, Expr, Operator, Start, Step, Test};

fn child(name: &str) -> Step {
    let test = Test::Name { prefix: None, name: name.to_owned() };
    Step { axis: Axis::Child, test, predicates: Vec::new() }
}

fn parent() -> Step {
    Step { axis: Axis::Parent, test: Test::Node, predicates: Vec::new() }
}

#[test]
fn a_relative_path_is_compared() {
    let steps = vec![parent(), child("type")];
    let left = Box::new(Expr::Path { start: Start::Context, steps });
    let right = Box::new(Expr::Literal("a b".to_owned()));
    let expected = Expr::Binary { operator: Operator::Equal, left, right };
    assert_eq!(Expr::read("../type = 'a b'"), Some(expected));
}

#[test]
fn words_are_operators_only_where_they_can_be() {
    let path = |name| Box::new(Expr::Path { start: Start::Context, steps: vec![child(name)] });
    let both = |operator| Some(Expr::Binary { operator, left: path("and"), right: path("or") });
    assert_eq!(Expr::read("and and or"), both(Operator::Logic));
    assert_eq!(Expr::read("and * or"), both(Operator::Value));
    assert_eq!(Expr::read("and | or"), both(Operator::Union));
}

#[test]
fn what_models_have_is_understood() {
    for text in [
        ".",
        "..",
        "/",
        "/a",
        "//a",
        "a//b",
        ". <= 1500 or ../enabled = 'true'",
        "count(../l) < 5",
        "not(../p:a) and ../b[c = current()/../d]/e",
        "-1 < 2",
        "(a | b)[1]/c",
        "a-b.c_d - e",
        "current()/../a = ../b[. = 'x' and position() = 2]",
        "ancestor::a/self::node()",
        "a/*/p:*",
        "../config[contains(services, 'oc-gnsi:GNSI')]/enable = 'true'",
        "deref(.)/../x",
        ".5 + 5.",
        "descendant::x[last()]",
        "re-match(., 'a[/]\"b')",
        "a != b = c",
        "text() = 'x'",
    ] {
        assert!(Expr::read(text).is_some(), "{text}");
    }
}

#[test]
fn what_is_not_understood_is_none() {
    let deep = format!("{}1{}", "(".repeat(10_000), ")".repeat(10_000));
    let texts = ["", "$x", "@a", "following::a", "a b", "f(", "a[", "'x", "a/", "#", "1 +", &deep];
    for text in texts {
        assert_eq!(Expr::read(text), None, "{text}");
    }
}
