//! The text that Prometheus reads.

use std::fmt::Write;

use crate::Series;

/// The format of the text, as it is told to whoever asks for it.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Everything that these metrics say now.
#[must_use]
pub fn text<'a>(all: impl IntoIterator<Item = &'a &'static dyn Series>) -> String {
    let mut out = String::with_capacity(32 << 10);
    for one in all {
        // Writing to a text cannot fail.
        let _ = write(*one, &mut out);
    }
    out
}

fn write(one: &dyn Series, out: &mut String) -> std::fmt::Result {
    let (name, help) = (one.name(), one.help().replace('\\', "\\\\").replace('\n', "\\n"));
    writeln!(out, "# HELP {name} {help}")?;
    writeln!(out, "# TYPE {name} {}", one.kind())?;
    let mut written = Ok(());
    one.samples(&mut |behind, said, value| {
        written = written.and_then(|()| sample(out, (name, behind), said, value));
    });
    written
}

fn sample(
    out: &mut String,
    (name, behind): (&str, &str),
    said: &[(&str, &str)],
    value: f64,
) -> std::fmt::Result {
    out.push_str(name);
    out.push_str(behind);
    for (at, (label, value)) in said.iter().enumerate() {
        out.push(if at == 0 { '{' } else { ',' });
        write!(out, "{label}=\"{value}\"")?;
    }
    out.push_str(if said.is_empty() { " " } else { "} " });
    // As the format wants it, also where there is no number.
    if value.is_infinite() {
        return writeln!(out, "{}Inf", if value > 0.0 { '+' } else { '-' });
    }
    writeln!(out, "{value}")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{Counter, Family, Gauge, Histogram, Label, Level};

    static SETS: Family<Counter, 2> = Family::counter(
        "lockstep_sets_total",
        "Sets.",
        &[Label { name: "code", values: &["OK", "other"] }],
    );
    static OPEN: Family<Level, 1> = Family::level("lockstep_open", "Open ones.", &[]);
    static SIZE: Family<Gauge, 1> = Family::gauge("lockstep_size_bytes", "A \\ and\na line.", &[]);
    static TOOK: Family<Histogram, 1> =
        Family::durations("lockstep_took_seconds", "How long.", &[]);

    #[test]
    fn it_is_written_as_the_format_says() {
        SETS.of(["OK"]).add(2);
        let held = OPEN.hold();
        SIZE.set(1.5);
        TOOK.took(Duration::from_millis(3));
        TOOK.took(Duration::from_secs(100));
        let all: [&'static dyn Series; 4] = [&SETS, &OPEN, &SIZE, &TOOK];
        let said = text(&all);
        for line in [
            "# HELP lockstep_sets_total Sets.",
            "# TYPE lockstep_sets_total counter",
            "lockstep_sets_total{code=\"OK\"} 2",
            "lockstep_sets_total{code=\"other\"} 0",
            "# TYPE lockstep_open gauge",
            "lockstep_open 1",
            "# HELP lockstep_size_bytes A \\\\ and\\na line.",
            "lockstep_size_bytes 1.5",
            "lockstep_took_seconds_bucket{le=\"0.0025\"} 0",
            "lockstep_took_seconds_bucket{le=\"0.005\"} 1",
            "lockstep_took_seconds_bucket{le=\"60\"} 1",
            "lockstep_took_seconds_bucket{le=\"+Inf\"} 2",
            "lockstep_took_seconds_sum 100.003",
            "lockstep_took_seconds_count 2",
        ] {
            assert!(said.lines().any(|one| one == line), "{line} is not in\n{said}");
        }
        drop(held);
        assert!(text(&all).lines().any(|one| one == "lockstep_open 0"));
    }
}
