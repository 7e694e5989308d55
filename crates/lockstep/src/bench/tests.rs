//! What is understood of the command line, and what is refused.

use clap::Parser;

use super::Bench;

#[derive(Debug, Parser)]
struct Line {
    #[command(flatten)]
    bench: Bench,
}

/// What somebody asked for.
pub(super) fn asked(line: &str) -> Bench {
    Line::try_parse_from(line.split(' ')).unwrap().bench
}

#[test]
fn nothing_is_too_little() {
    for line in [
        "bench --own 0",
        "bench --targets 0",
        "bench --targets-per-transaction 0",
        "bench --leaves 0",
        "bench --clients 0",
        "bench --connections 0",
        "bench --rate 0",
        "bench --rate NaN",
        "bench --duration 0s",
    ] {
        let flag = line.split(' ').nth(1).unwrap();
        let said = asked(line).check().unwrap_err().to_string();
        assert!(said.starts_with(flag), "{line}: {said}");
    }
    assert!(asked("bench --rate 0.5 --warm-up 0s").check().is_ok());
}

#[test]
fn there_are_no_more_connections_than_clients() {
    assert_eq!(asked("bench --clients 3").connections(), 3);
    assert_eq!(asked("bench --clients 64").connections(), 8);
    assert_eq!(asked("bench --clients 64 --connections 16").connections(), 16);
}
