//! The log, as operators look at it.

use lockstep_gnmi::proto::lockstep::v1::{self, ListTransactionsRequest};
use lockstep_protocol::View;
use lockstep_protocol::record::{self, Transaction};
use lockstep_types::Index;
use tonic::Status;

use super::{Service, show};
use crate::access::Right;
use crate::guard::Call;
use crate::teller::Teller;

/// How many transactions are listed at once when nobody says.
const PAGE: usize = 100;
/// How many at the most.
const LARGEST_PAGE: usize = 10_000;

impl Service {
    /// Those that are asked for and may be seen, latest first.
    pub(super) fn listed(
        &self,
        call: &Call,
        asked: &ListTransactionsRequest,
    ) -> Result<Vec<v1::Transaction>, Status> {
        call.somewhere(Right::Read)?;
        known_statuses(&asked.status)?;
        let limit = usize::try_from(asked.limit).unwrap_or(LARGEST_PAGE).min(LARGEST_PAGE);
        let limit = if limit == 0 { PAGE } else { limit };
        let view = self.node.view();
        let teller = Teller::any(&self.node, call, &view);
        let found = view.transactions_backwards().filter(|t| is_asked(asked, t));
        let found = found.filter(|t| teller.sees_any(t)).take(limit);
        Ok(found.map(|t| show::transaction(&teller, t)).collect())
    }

    /// One of them, if it may be seen.
    pub(super) fn found(&self, call: &Call, index: u64) -> Result<v1::Transaction, Status> {
        call.somewhere(Right::Read)?;
        let view = self.node.view();
        let teller = Teller::any(&self.node, call, &view);
        let found = view.transaction(Index::new(index)).filter(|found| teller.sees_any(found));
        let found = found.ok_or_else(|| no_transaction(&view, index))?;
        Ok(show::transaction(&teller, found))
    }
}

fn no_transaction(view: &View, index: u64) -> Status {
    match view.horizon().get() {
        horizon if (1..=horizon).contains(&index) => Status::out_of_range(format!(
            "transaction {index} is beyond retention: the log is kept from {horizon} on"
        )),
        _ => Status::not_found(format!("there is no transaction {index}")),
    }
}

/// A word that no status has would find nothing, and look like an answer.
fn known_statuses(asked: &[String]) -> Result<(), Status> {
    let known = record::Status::ALL.map(record::Status::name);
    match asked.iter().find(|word| !known.contains(&word.as_str())) {
        None => Ok(()),
        Some(word) => Err(Status::invalid_argument(format!(
            "there is no status {word:?}; there are {}",
            known.join(", ")
        ))),
    }
}

/// Whether a transaction is among those asked for.
fn is_asked(asked: &ListTransactionsRequest, transaction: &Transaction) -> bool {
    let before = asked.before_index == 0 || transaction.index.get() < asked.before_index;
    let word = transaction.status.name();
    let status = asked.status.is_empty() || asked.status.iter().any(|status| status == word);
    let concerns = |name: &String| transaction.targets.contains_key(name.as_str());
    before && status && (asked.target.is_empty() || asked.target.iter().any(concerns))
}
