//! What was measured, for people and for programs.

use std::time::{Duration, SystemTime};

use serde_json::{Map, Value, json};

use super::Bench;
use super::before::Before;
use super::load::{Loaded, told};
use super::meter::{Figures, TOLD};
use crate::cli::{Failed, Output};
use crate::output::{json_document, line, table};

/// Everything there is to say.
#[derive(Debug)]
pub(super) struct Report<'a> {
    pub(super) asked: &'a Bench,
    pub(super) own: bool,
    pub(super) loaded: &'a Loaded,
    pub(super) before: &'a Before,
    /// Targets that are not as they were before, with why.
    pub(super) left: Vec<(String, String)>,
}

impl Report<'_> {
    pub(super) fn write(&self, output: Output) -> Result<(), Failed> {
        match output {
            Output::Json => Ok(json_document(&self.json())?),
            Output::Table => self.table(),
        }
    }

    fn table(&self) -> Result<(), Failed> {
        let Self { asked, loaded, .. } = self;
        let measured = loaded.measured;
        line(&format!("{}, for {:.1} s", self.what(), measured.as_secs_f64()))?;
        let titles = [
            "WHAT", "COUNT", "A SECOND", "MEAN", "P50", "P90", "P95", "P99", "P99.9", "MAX",
            "ERRORS",
        ];
        let mut rows = vec![row("changes", &loaded.changes, measured)];
        if asked.readers > 0 {
            rows.push(row("reads", &loaded.reads, measured));
        }
        table(&titles, &[], &rows)?;
        line("times are in milliseconds")?;
        if loaded.changes.missed > 0 {
            line(&format!(
                "{} changes were due and never sent: it does not take this rate with {} clients. They count \
                 with as long as they had waited",
                loaded.changes.missed, asked.clients
            ))?;
        }
        self.beside()?;
        for (what, figures) in [("changes", &loaded.changes), ("reads", &loaded.reads)] {
            for (code, (count, message)) in &figures.errors {
                line(&format!("{count} {what} failed with {code}, as in: {message}"))?;
            }
        }
        self.ended()
    }

    fn beside(&self) -> Result<(), Failed> {
        let [synced, messages, updates, lost] = told(&self.loaded.told);
        if self.asked.subscribers > 0 {
            let rate = rate(messages, self.loaded.measured);
            line(&format!(
                "{synced} subscribers were told {updates} changes in {messages} messages, {rate:.0} a second; {lost} \
                 were cut off"
            ))?;
        }
        match (self.asked.asynchronous, self.loaded.settled) {
            (true, Some(settled)) => line(&format!(
                "devices had everything {:.1} s after the end",
                settled.as_secs_f64()
            ))?,
            (true, None) => line("devices did not have everything in the end")?,
            (false, _) => {}
        }
        Ok(())
    }

    fn ended(&self) -> Result<(), Failed> {
        if self.own {
            return Ok(());
        }
        if self.left.is_empty() {
            line("what it wrote is gone again from every target; the log has its transactions")?;
        }
        for (targets, why) in &self.left {
            let given: Vec<String> =
                targets.split(' ').map(|target| format!("--target {target}")).collect();
            line(&format!("what it wrote is still there on {targets}: {why}"))?;
            line(&format!(
                "  lockstep restore {} {} takes them back to before",
                self.before.head,
                given.join(" ")
            ))?;
        }
        Ok(())
    }

    /// What the load was.
    fn what(&self) -> String {
        let asked = self.asked;
        let mode = if asked.queued { "queued" } else { "atomic" };
        let answered = if asked.asynchronous { "async" } else { "sync" };
        let rate = asked.rate.map_or(String::new(), |rate| format!(", {rate} a second due"));
        format!(
            "{}, {mode} and {answered}, {} on {} a change{rate}",
            counted(asked.clients, "client", "clients"),
            counted(asked.leaves, "leaf", "leaves"),
            counted(asked.targets_per_transaction, "target", "targets"),
        )
    }

    fn json(&self) -> Value {
        let Self { asked, loaded, .. } = self;
        let [synced, messages, updates, lost] = told(&loaded.told);
        json!({
            "own": self.own,
            "clients": asked.clients,
            "connections": asked.connections(),
            "rate": asked.rate,
            "mode": if asked.queued { "queued" } else { "atomic" },
            "async": asked.asynchronous,
            "targets_per_transaction": asked.targets_per_transaction,
            "leaves": asked.leaves,
            "warm_up_seconds": asked.warm_up.as_secs_f64(),
            "measured_seconds": loaded.measured.as_secs_f64(),
            "measured_from": time(loaded.until - loaded.measured),
            "measured_until": time(loaded.until),
            "interrupted": loaded.interrupted.is_some(),
            "changes": figures(&loaded.changes, loaded.measured),
            "reads": figures(&loaded.reads, loaded.measured),
            "subscribers": {
                "synced": synced, "messages": messages, "updates": updates, "lost": lost,
                "messages_per_second": rounded(rate(messages, loaded.measured)),
            },
            "settled_seconds": loaded.settled.map(|settled| settled.as_secs_f64()),
            "not_put_back": self.left.iter().map(|(targets, why)| {
                json!({ "targets": targets.split(' ').collect::<Vec<_>>(), "error": why })
            }).collect::<Vec<_>>(),
            "log_head_before": self.before.head,
        })
    }
}

/// RFC 3339.
fn time(at: SystemTime) -> String {
    prost_types::Timestamp::from(at).to_string()
}

fn counted(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

fn row(what: &str, figures: &Figures, measured: Duration) -> Vec<String> {
    let time = |time: Option<f64>| time.map_or("-".to_owned(), |time| format!("{time:.1}"));
    let mut cells = vec![
        what.to_owned(),
        figures.answered.to_string(),
        format!("{:.1}", rate(figures.answered, measured)),
        time(figures.mean()),
    ];
    cells.extend(TOLD.map(|(_, percentile)| time(figures.milliseconds(percentile))));
    cells.push(figures.failed().to_string());
    cells
}

fn figures(figures: &Figures, measured: Duration) -> Value {
    let times = TOLD.map(|(name, percentile)| (name, figures.milliseconds(percentile)));
    let mut times: Map<String, Value> =
        times.into_iter().map(|(name, time)| (name.to_owned(), json!(time))).collect();
    times.insert("mean".to_owned(), json!(figures.mean()));
    let errors: Map<String, Value> = figures
        .errors
        .iter()
        .map(|(code, (count, _))| ((*code).to_owned(), json!(count)))
        .collect();
    json!({
        "answered": figures.answered,
        "answered_in_all": figures.in_all,
        "per_second": rounded(rate(figures.answered, measured)),
        "milliseconds": times,
        "missed": figures.missed,
        "errors": errors,
    })
}

fn rounded(figure: f64) -> f64 {
    (figure * 10.0).round() / 10.0
}

/// So many in this time, by the second.
#[expect(clippy::cast_precision_loss, reason = "a measurement")]
pub(super) fn rate(count: u64, measured: Duration) -> f64 {
    if measured.is_zero() { 0.0 } else { count as f64 / measured.as_secs_f64() }
}
