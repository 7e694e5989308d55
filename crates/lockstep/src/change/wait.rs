//! Waiting for what becomes of a transaction: with a bar; and with a word on what goes on, if whoever waits does not.

use std::time::Duration;

use lockstep_gnmi::proto::lockstep::v1::{ListTransactionsRequest, Transaction};
use lockstep_gnmi::words;
use tokio::time::timeout;
use tonic::Status;

use super::or_failures;
use crate::cli::{Failed, Global};
use crate::client::Client;
use crate::progress::Progress;
use crate::signals::Signals;
use crate::terminal;

/// How long whoever ends a command waits to be told what it leaves behind.
const PATIENCE: Duration = Duration::from_secs(2);

/// The answer to a call that becomes the transaction of this id.
pub(crate) async fn answer<A>(
    client: &Client,
    id: &str,
    global: &Global,
    asked: impl Future<Output = Result<A, Status>>,
) -> Result<A, Failed> {
    let mut signals = Signals::new()?;
    let bar = Progress::of(client, id, global);
    let ended = tokio::select! {
        answer = asked => Ok(answer),
        by = signals.next() => Err(by),
    };
    bar.done().await;
    match ended {
        Ok(answer) => or_failures(answer, global.output),
        Err(interrupted) => {
            let silent = |_| Err(Status::unavailable("the node does not answer"));
            let found = timeout(PATIENCE, find(client, id)).await.unwrap_or_else(silent);
            eprintln!("lockstep: {}", terminal::harmless(&left_behind(id, &found)));
            Err(interrupted.into())
        }
    }
}

/// The transaction of this id; none: it is not in the log. Or why that cannot be told.
async fn find(client: &Client, id: &str) -> Result<Option<Transaction>, Status> {
    let request = ListTransactionsRequest {
        id: id.to_owned(),
        limit: 1,
        brief: true,
        ..ListTransactionsRequest::default()
    };
    let found = client.admin().list_transactions(request).await?;
    Ok(found.into_inner().transactions.into_iter().next())
}

/// What goes on without whoever asked for it, and what can be done about it.
fn left_behind(id: &str, found: &Result<Option<Transaction>, Status>) -> String {
    let again = format!("sent again with `--id {id}` it is not done twice");
    let Transaction { index, status, .. } = match found {
        Ok(Some(found)) => found,
        Ok(None) => {
            return format!(
                "interrupted; it is not in the log so far, and may still get there: `lockstep tx list` shows it, and \
                 {again}"
            );
        }
        Err(why) => {
            let why = why.message();
            return format!(
                "interrupted; it may go on, and whether it is in the log cannot be told ({why}): {again}"
            );
        }
    };
    match words::OPEN.contains(&status.as_str()) {
        true => format!(
            "interrupted; transaction {index} is {status} and goes on: `lockstep tx watch {index}` tells what becomes \
             of it, `lockstep cancel {index}` calls it off"
        ),
        false => {
            format!("interrupted; transaction {index} is {status}: `lockstep tx show {index}`")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_leaves_is_told_what_goes_on() {
        let told = |status: &str| {
            let found = Transaction { index: 7, status: status.into(), ..Transaction::default() };
            left_behind("a", &Ok(Some(found)))
        };
        assert!(told("committed").contains("goes on") && told("pending").contains("cancel 7"));
        assert!(told("applied").ends_with("transaction 7 is applied: `lockstep tx show 7`"));
        let absent = left_behind("a", &Ok(None));
        assert!(absent.contains("`--id a`") && absent.contains("not in the log so far"));
        let silent = left_behind("a", &Err(Status::permission_denied("no role")));
        assert!(silent.contains("`--id a`") && silent.contains("cannot be told (no role)"));
        assert!(!silent.contains("not in the log"));
    }
}
