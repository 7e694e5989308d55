//! Devices as a trace tells of them: every answer belongs to a request, and no device listens to an
//! older master after a newer one.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_protocol::{Answer, Ask};
use lockstep_types::{Configuration as Tree, Connection, Sequence, SessionId, Target, Term};

use crate::trace::finding::Reason;
use crate::trace::line::Took;

/// What tells one request from every other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Id {
    pub(super) session: SessionId,
    pub(super) target: Target,
    pub(super) connection: Connection,
    pub(super) sequence: Sequence,
}

/// A request that a node sent.
#[derive(Clone, Debug)]
struct Request {
    term: Term,
    ask: Ask,
    /// The newest election id that the device was known to have accepted when this was sent. Nothing
    /// older than that can be accepted; what was accepted meanwhile says nothing about the order.
    newest: Term,
    /// An answer is due.
    due: bool,
    /// What the device says it answered.
    answer: Option<Answer>,
}

/// What a device is taken to hold.
#[derive(Clone, Debug, Default)]
struct Shadow {
    /// Unknown until it is read, and after a Set with an unknown outcome.
    values: Option<Tree>,
}

impl Shadow {
    /// The device was asked, and answered. Says whether it shows something else than it should.
    fn took(&mut self, ask: &Ask, answer: &Answer) -> bool {
        match (ask, answer) {
            (Ask::Set(delta), Answer::Accepted) => {
                self.values.iter_mut().for_each(|values| values.apply_values(delta));
            }
            // What is on trial the device takes back when it will.
            (Ask::Trial { .. } | Ask::Cancel(_), Answer::Accepted) => self.values = None,
            (ask, Answer::Unknown) if ask.may_change() => self.values = None,
            (_, Answer::Values(seen)) => {
                let known = self.values.replace(seen.clone());
                return known.is_some_and(|known| !known.same_values(seen));
            }
            _ => {}
        }
        false
    }
}

/// A device that gives its own account.
#[derive(Clone, Debug, Default)]
struct Account {
    /// The newest election id that it accepted.
    accepted: Term,
    /// The newest that it was sent: whether an id counts that comes with a refusal is up to the device.
    sent: Term,
    shadow: Shadow,
}

impl Account {
    /// An older election id is fenced, and no other.
    fn arbitrate(&mut self, target: &Target, term: Term, answer: &Answer) -> Result<(), Reason> {
        let (target, newer, newest) = (target.clone(), self.accepted, self.sent);
        match answer {
            Answer::Accepted if term < newer => Err(Reason::OlderElection { target, term, newer }),
            Answer::Fenced if term >= newest => Err(Reason::NotFenced { target, term, newest }),
            answer => {
                if *answer == Answer::Accepted {
                    self.accepted = term.max(newer);
                }
                self.sent = term.max(newest);
                Ok(())
            }
        }
    }
}

/// The devices and what is on its way to them.
#[derive(Debug)]
pub(super) struct Devices {
    unfenced: BTreeSet<Target>,
    requests: BTreeMap<Id, Request>,
    accepted: BTreeMap<Target, Term>,
    shadows: BTreeMap<(SessionId, Target), (Connection, Shadow)>,
    accounts: BTreeMap<Target, Account>,
}

impl Devices {
    pub(super) fn new(unfenced: BTreeSet<Target>) -> Self {
        Self {
            unfenced,
            requests: BTreeMap::new(),
            accepted: BTreeMap::new(),
            shadows: BTreeMap::new(),
            accounts: BTreeMap::new(),
        }
    }

    /// A node sends a request.
    pub(super) fn sent(&mut self, id: Id, term: Term, ask: &Ask) {
        let newest = self.accepted.get(&id.target).copied().unwrap_or_default();
        let ask = ask.clone();
        self.requests.insert(id, Request { term, ask, newest, due: true, answer: None });
    }

    /// A connection is gone, or will be: no answer is due on it any more.
    pub(super) fn gone(&mut self, session: &SessionId, target: &Target, connection: Connection) {
        let id = |sequence| {
            let (session, target) = (session.clone(), target.clone());
            Id { session, target, connection, sequence }
        };
        let on_it = id(Sequence::ZERO)..=id(Sequence::new(u64::MAX));
        self.requests.range_mut(on_it).for_each(|(_, request)| request.due = false);
    }

    /// An answer reaches a node. Says whether the device shows something else than it should.
    pub(super) fn answered(
        &mut self,
        id: &Id,
        answer: &Answer,
        fenced: bool,
    ) -> Result<bool, Reason> {
        let Id { session, target, connection, sequence } = id.clone();
        let Some(request) = self.requests.get_mut(id).filter(|request| request.due) else {
            return Err(Reason::NoRequest { target, connection, sequence });
        };
        request.due = false;
        if !fits(&request.ask, answer) {
            return Err(Reason::Misfit { target, sequence });
        }
        let from_device = !matches!(answer, Answer::Unknown | Answer::Busy);
        let tells = self.accounts.contains_key(&target);
        if from_device && tells && request.answer.as_ref() != Some(answer) {
            return Err(Reason::OtherAnswer { target, sequence });
        }
        let (term, newer) = (request.term, request.newest);
        if *answer == Answer::Accepted {
            if term < newer && fenced && !self.unfenced.contains(&target) {
                return Err(Reason::OlderElection { target, term, newer });
            }
            let accepted = self.accepted.entry(target.clone()).or_default();
            *accepted = term.max(*accepted);
        }
        let shadow = self.shadows.entry((session, target)).or_default();
        if shadow.0 != connection {
            *shadow = (connection, Shadow::default());
        }
        let drift = shadow.1.took(&request.ask, answer) && !tells;
        if from_device {
            // Nothing more can come of it.
            self.requests.remove(id);
        }
        Ok(drift)
    }

    /// A device says that it started.
    pub(super) fn started(&mut self, target: &Target, values: &Tree) {
        let shadow = Shadow { values: Some(values.clone()) };
        self.accounts.insert(target.clone(), Account { shadow, ..Account::default() });
    }

    /// A device says that somebody else changed it.
    pub(super) fn changed(&mut self, target: &Target, values: &Tree) {
        let account = self.accounts.entry(target.clone()).or_default();
        account.shadow = Shadow { values: Some(values.clone()) };
    }

    /// A device says that it listens to somebody else.
    pub(super) fn listens(&mut self, target: &Target, term: Term) {
        let account = self.accounts.entry(target.clone()).or_default();
        account.accepted = account.accepted.max(term);
        account.sent = account.sent.max(term);
    }

    /// A device says that it took a request. Says whether it shows something else than it should.
    pub(super) fn took(&mut self, target: &Target, took: &Took) -> Result<bool, Reason> {
        let Took { session, connection, sequence, term, ask, answer } = took.clone();
        let id = Id { session: session.clone(), target: target.clone(), connection, sequence };
        let sent = |request: &&mut Request| {
            request.term == term && request.ask == ask && request.answer.is_none()
        };
        let Some(request) = self.requests.get_mut(&id).filter(sent) else {
            return Err(Reason::NotSent { target: target.clone(), session, sequence });
        };
        if !fits(&ask, &answer) {
            return Err(Reason::Misfit { target: target.clone(), sequence });
        }
        request.answer = Some(answer.clone());
        let account = self.accounts.entry(target.clone()).or_default();
        if ask != Ask::Read && !self.unfenced.contains(target) {
            account.arbitrate(target, term, &answer)?;
        }
        Ok(account.shadow.took(&ask, &answer))
    }
}

/// Whether a device can answer this with that.
fn fits(ask: &Ask, answer: &Answer) -> bool {
    match answer {
        Answer::Accepted => *ask != Ask::Read,
        Answer::Unfenced(_) => *ask == Ask::Claim,
        Answer::Values(_) => *ask == Ask::Read,
        Answer::Lost => matches!(ask, Ask::Confirm(_) | Ask::Cancel(_)),
        Answer::Refused(_) | Answer::Fenced | Answer::Unknown | Answer::Busy => true,
    }
}
