//! The tour. Each step says what it is about, types the commands that do it, and asks the devices themselves whether it
//! is so; a step that does not go as told ends it.

mod change;
mod drift;
mod log;
mod mistake;
mod refusal;
mod restart;
mod rollback;

use std::time::Duration;

use lockstep_gnmi::proto::lockstep::v1::{GetTransactionRequest, Transaction};
use prost_types::Timestamp;

use super::network::{LISTEN, Network};
use super::tell::{Long, Teller, expect};
use super::typed;
use crate::cli::Failed;

/// Everything, from the first look to the log of what was done.
pub(super) async fn tour(network: &Network, teller: &Teller) -> Result<(), Failed> {
    let tour = Tour { network, teller };
    tour.opening().await?;
    let before = network.held_everywhere().await?;
    let index = change::change(&tour).await?;
    mistake::mistake(&tour).await?;
    refusal::refusal(&tour).await?;
    restart::restart(&tour).await?;
    drift::drift(&tour).await?;
    rollback::rollback(&tour, index, &before).await?;
    log::log(&tour).await
}

/// The network at a glance.
const PICTURE: [&str; 3] = [
    "             spine1       spine2",
    "         ┌──────┴─┬────────┬─┴──────┐",
    "       leaf1    leaf2    leaf3    leaf4",
];

/// What every step works with.
#[derive(Clone, Copy, Debug)]
struct Tour<'a> {
    network: &'a Network,
    teller: &'a Teller,
}

impl Tour<'_> {
    async fn opening(&self) -> Result<(), Failed> {
        let teller = self.teller;
        teller.title("Lockstep")?;
        let about = "A change happens on all the devices it concerns, or on none. Here is a small network, \
             simulated: two spines, four leaves, each of them speaking gNMI, and one Lockstep node in \
             front of them. Everything below really happens, and is checked on the devices themselves.";
        teller.prose(about)?;
        if teller.is_paced() {
            teller.prose("It takes a minute and a half; Ctrl-C ends it at any moment.")?;
        }
        teller.blank()?;
        for line in PICTURE {
            teller.plain(line)?;
        }
        teller.blank()?;
        let server = self.network.address();
        if server != LISTEN {
            teller.prose(&format!(
                "Port {} is in use, so the node listens on {server}.",
                LISTEN.port()
            ))?;
            teller.blank()?;
        }
        teller.read(about).await;
        self.works("lockstep target list", Long::Cut).await?;
        self.means(
            "Each device came with a name and descriptions of its links. Lockstep has read them and \
             written nothing: what the devices had is what is wanted of them now.",
        )
        .await
    }

    /// Begins a step: its title, and what is about to happen.
    async fn step(&self, number: u8, title: &str, about: &str) -> Result<(), Failed> {
        self.teller.blank()?;
        self.teller.title(&format!("{number}. {title}"))?;
        self.teller.prose(about)?;
        self.teller.blank()?;
        self.teller.read(about).await;
        Ok(())
    }

    /// Types a command, and shows what it prints.
    async fn types(&self, command: &str, long: Long) -> Result<typed::Answer, Failed> {
        self.teller.typed(&format!("$ {command}"))?;
        self.teller.look("").await;
        let answer = typed::run(self.network, command, self.teller.room()).await?;
        self.teller.printed(&answer.text, long)?;
        self.teller.look(&answer.text).await;
        Ok(answer)
    }

    /// Writes a file that commands name, and shows how it begins: so many lines, or all of them.
    async fn file(&self, name: &str, text: &str, first: usize) -> Result<(), Failed> {
        typed::write(self.network.folder(), name, text)?;
        let all = text.lines().count() <= first;
        let command = if all { format!("cat {name}") } else { format!("head -n {first} {name}") };
        self.teller.typed(&format!("$ {command}"))?;
        let shown = text.lines().take(first).collect::<Vec<_>>().join("\n");
        self.teller.printed(&shown, Long::Fold)?;
        self.teller.blank()?;
        self.teller.look(&shown).await;
        Ok(())
    }

    /// Types a command that works.
    async fn works(&self, command: &str, long: Long) -> Result<String, Failed> {
        let answer = self.types(command, long).await?;
        expect(&format!("the status of `{command}`"), &answer.status, &0)?;
        Ok(answer.text)
    }

    /// Types a change that does not come to what was asked.
    async fn fails(&self, command: &str) -> Result<String, Failed> {
        let answer = self.types(command, Long::Fold).await?;
        let not_applied = i32::from(crate::exit::NOT_APPLIED);
        expect(&format!("the status of `{command}`"), &answer.status, &not_applied)?;
        Ok(answer.text)
    }

    /// Says what was found on the devices.
    fn found(&self, text: &str) -> Result<(), Failed> {
        self.teller.blank()?;
        self.teller.checked(text)
    }

    /// Says what it all means.
    async fn means(&self, text: &str) -> Result<(), Failed> {
        self.teller.blank()?;
        self.teller.prose(text)?;
        self.teller.read(text).await;
        Ok(())
    }

    /// A transaction, as the log has it.
    async fn transaction(&self, index: u64) -> Result<Transaction, Failed> {
        let request = GetTransactionRequest { index, ..Default::default() };
        let answer = self.network.client().admin().get_transaction(request).await?.into_inner();
        Ok(answer.transaction.ok_or("the node does not show the transaction")?)
    }
}

/// The index of the transaction that a command has told of.
fn index(text: &str) -> Result<u64, Failed> {
    let mut words = text.split_whitespace().skip_while(|word| *word != "transaction").skip(1);
    let number =
        words.next().map(|word| word.trim_end_matches(':')).and_then(|word| word.parse().ok());
    Ok(number.ok_or_else(|| format!("this did not go as told: no transaction in {text:?}"))?)
}

/// How long a transaction took, from its place in the log to its outcome.
fn took(transaction: &Transaction) -> String {
    let nanos =
        |time: &Timestamp| i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanos);
    let (Some(from), Some(to)) = (&transaction.submitted, &transaction.finished) else {
        return "no time".to_owned();
    };
    let nanos = u64::try_from(nanos(to) - nanos(from)).unwrap_or_default();
    spoken(Duration::from_nanos(nanos))
}

/// A time, for people.
fn spoken(time: Duration) -> String {
    match time.as_millis() {
        0 => "less than a millisecond".to_owned(),
        millis @ 1..1000 => format!("{millis} ms"),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{index, spoken};

    #[test]
    fn a_transaction_is_found_in_what_is_told_of_it() {
        assert_eq!(index("transaction 7 applied: 2 operations").ok(), Some(7));
        assert_eq!(index("transaction 12: rollback of 7 applied").ok(), Some(12));
        assert_eq!(index("lockstep: transaction 3 reverted: no").ok(), Some(3));
        assert!(index("nothing").is_err());
    }

    #[test]
    fn times_are_told_as_people_do() {
        assert_eq!(spoken(Duration::from_micros(10)), "less than a millisecond");
        assert_eq!(spoken(Duration::from_millis(57)), "57 ms");
        assert_eq!(spoken(Duration::from_millis(1234)), "1.2 s");
    }
}
