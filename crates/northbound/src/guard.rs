//! The door: every call comes through here, whichever listener it came to.
//!
//! ```text
//!   headers, certificate, address ──► identity ──► rate ──► Call ──► the service, which asks it
//!                                                             └────► audit, before the answer
//! ```

mod call;
mod guarded;
mod rate;
mod refusal;
mod reload;
mod site;
mod web;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use axum::http::HeaderMap;
use tokio::sync::{OwnedRwLockReadGuard, RwLock};

use crate::access::{Access, Grants, Pattern, Rules, User};
use crate::audit::Audit;
use crate::deadline;
use crate::identity::{
    Credentials, How, Identity, Passwords, Shown, Throttle, Verdict, is_persons_name, of_token,
};
use crate::network::network;
use rate::Rate;
use reload::Reload;

pub(crate) use call::Call;
pub(crate) use guarded::Guarded;
pub(crate) use refusal::{Away, Refused};
pub(crate) use web::{Peer, http};

/// How many calls a second from one address are told of that were not let in: a log, and an audit, are not
/// to be filled by strangers.
const REFUSALS: u32 = 50;
/// How many calls a second from one address may have wrong credentials. Beyond, credentials that take work to verify
/// are not looked at.
const WRONG: u32 = 100;
/// How many calls a second an identity may make where nobody says: more than any client needs, and less than a
/// client that went wild makes.
const USUAL: u32 = 2000;

/// What all listeners share.
#[derive(Clone, Debug)]
pub(crate) struct Guard(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    rules: Arc<Reload>,
    secrets: Arc<[Pattern]>,
    passwords: Passwords,
    throttle: Throttle,
    rate: Rate,
    /// Whether nobody said how many calls an identity may make: then a node that knows nobody counts nobody.
    rate_is_usual: bool,
    /// How many come with wrong credentials, from one address.
    wrong: Rate,
    /// How many who are not let in are told of, from one address.
    refusals: Rate,
    audit: Option<Audit>,
    audit_reads: bool,
    /// Shared by every call that is to be written down, until it is.
    under_way: Arc<RwLock<()>>,
}

impl Guard {
    /// None: the system has no random numbers.
    pub(crate) fn new(access: Access, audit: Option<Audit>) -> Option<Self> {
        let Access { rules, files, source, secret_paths, audit_reads, rate, .. } = access;
        let rules = Arc::new(Reload::new(rules, files, source));
        rules.keep_up();
        Some(Self(Arc::new(Inner {
            rules,
            secrets: secret_paths.into(),
            passwords: Passwords::new()?,
            throttle: Throttle::default(),
            rate: Rate::new(rate.unwrap_or(USUAL)),
            rate_is_usual: rate.is_none(),
            wrong: Rate::new(WRONG),
            refusals: Rate::new(REFUSALS),
            audit,
            audit_reads,
            under_way: Arc::default(),
        })))
    }

    /// Lets a call in, or says why not.
    pub(crate) async fn enter(
        &self,
        headers: &mut HeaderMap,
        peer: &Peer,
        action: &str,
    ) -> Result<Call, Away> {
        let rules = self.rules();
        let credentials = Credentials::take(headers);
        let tried = credentials.user().filter(|name| rules.users.contains_key(*name));
        let tried = tried.map(str::to_owned);
        let identity = self.identify(&rules, credentials, peer).await;
        let identity = identity.map_err(|why| {
            if matches!(why, Refused::Wrong(_) | Refused::Token(_)) {
                // That there are more is known when the next one comes.
                let _spent = self.0.wrong.take(&peer.ip().to_string(), Instant::now());
            }
            Away { tried, ..why.into() }
        })?;
        if let Err(why) = self.may_go_on(&identity, peer) {
            return Err(Away { identity, ..why.into() });
        }
        let may = (Arc::clone(&rules), Grants::of(&rules, &identity));
        let hangs_up = deadline::hangs_up(headers);
        Ok(Call::new(self.clone(), identity, peer.clone(), action, may, hangs_up))
    }

    /// Whether somebody has not made too many calls yet.
    fn may_go_on(&self, identity: &Identity, peer: &Peer) -> Result<(), Refused> {
        let Inner { rate, rate_is_usual, .. } = &*self.0;
        let who = match identity.name.as_str() {
            "" if *rate_is_usual => return Ok(()),
            "" => peer.ip().to_string(),
            name => name.to_owned(),
        };
        rate.take(&who, Instant::now()).map_err(|rate| Refused::Rate { rate })
    }

    /// Whether credentials from there are worth the work that it takes to verify them.
    fn is_worth_it(&self, from: IpAddr) -> Result<(), Refused> {
        let left = self.0.wrong.left(&from.to_string(), Instant::now());
        left.map_err(|rate| Refused::Flood { rate })
    }

    /// Who is calling.
    async fn identify(
        &self,
        rules: &Rules,
        credentials: Credentials,
        peer: &Peer,
    ) -> Result<Identity, Refused> {
        // It was valid when the connection began.
        let now = SystemTime::now();
        let certificate = || peer.certificate.clone().filter(|identity| !identity.is_over(now));
        // Nobody is asked, and nobody is turned away for what they show.
        if rules.is_open() {
            return Ok(certificate().unwrap_or_else(Identity::nobody));
        }
        match credentials {
            Credentials::None => certificate().ok_or(Refused::Nobody),
            Credentials::Unreadable => Err(Refused::Wrong("credentials that cannot be read")),
            Credentials::Token(token) => {
                self.is_worth_it(peer.ip())?;
                let found = of_token(&rules.tokens, &token, SystemTime::now());
                found.map_err(Refused::Token)
            }
            Credentials::Password { name, password } => {
                self.login(rules, name, &password, peer.ip()).await
            }
        }
    }

    /// A user who is not known costs as much as one who is, so that nobody can tell. Whoever was let in from there
    /// goes on while others guess; a password that was right elsewhere helps nobody here.
    async fn login(
        &self,
        rules: &Rules,
        name: String,
        password: &str,
        from: IpAddr,
    ) -> Result<Identity, Refused> {
        let Inner { passwords, throttle, .. } = &*self.0;
        // Nobody has such a name, and it is not worth remembering.
        if !is_persons_name(&name) {
            return Err(Refused::Wrong("a name that nobody can have"));
        }
        let user = rules.users.get(&name);
        let identity = |user: &User| {
            let groups = user.groups.clone();
            let user = Some(user.clone());
            Identity { name: name.clone(), groups, how: How::Password, user, ..Identity::nobody() }
        };
        let shown = Shown { name: &name, password, from };
        if let Some(user) = user
            && passwords.is_known(user, shown)
        {
            return Ok(identity(user));
        }
        self.is_worth_it(from)?;
        let may_try = || match throttle.wait(&name, from, Instant::now()) {
            Some(wait) => Err(Refused::Throttled { wait }),
            None => Ok(()),
        };
        may_try()?;
        let verdict = match (user, rules.users.values().next()) {
            (Some(user), _) => passwords.verify(user, shown, may_try).await?,
            (None, Some(other)) => passwords.pretend(other, password, may_try).await?,
            (None, None) => Verdict::Wrong,
        };
        match (verdict, user) {
            (Verdict::Busy, _) => Err(Refused::Busy),
            (Verdict::Right, Some(user)) => {
                throttle.right(&name, from);
                Ok(identity(user))
            }
            (Verdict::Right | Verdict::Wrong, _) => {
                throttle.wrong(&name, from, Instant::now());
                Err(Refused::Wrong("a name and password that do not belong together"))
            }
        }
    }

    /// Whether nobody is asked who they are.
    fn is_open(&self) -> bool {
        self.rules().is_open()
    }

    /// What is shown to those alone who may read secrets.
    pub(crate) fn secrets(&self) -> &Arc<[Pattern]> {
        &self.0.secrets
    }

    pub(crate) fn audit(&self) -> Option<&Audit> {
        self.0.audit.as_ref()
    }

    /// Whether an action that only reads is written down.
    pub(crate) fn audits_reads(&self) -> bool {
        self.0.audit_reads
    }

    /// A call begins that is to be written down, which it is once this is dropped.
    async fn begin(&self) -> OwnedRwLockReadGuard<()> {
        Arc::clone(&self.0.under_way).read_owned().await
    }

    /// Waits until every call that was begun is written down.
    pub(crate) async fn finished(&self) {
        drop(self.0.under_way.write().await);
    }

    /// The rules in force.
    fn rules(&self) -> Arc<Rules> {
        self.0.rules.current()
    }

    /// What an identity may do by these rules, now; none: it is known no more.
    fn grants_by(rules: &Rules, identity: &Identity) -> Option<Grants> {
        let identity = match identity.how {
            _ if identity.is_over(SystemTime::now()) => return None,
            How::Password => {
                let user = rules.users.get(&identity.name)?;
                // With another password, it is for somebody to log in again.
                identity.user.as_ref().filter(|before| before.hash == user.hash)?;
                &Identity { groups: user.groups.clone(), ..identity.clone() }
            }
            How::Token if !identity.is_vouched_for(&rules.tokens) => return None,
            How::Not if !rules.is_open() => return None,
            How::Not | How::Token | How::Certificate | How::Node => identity,
        };
        Some(Grants::of(rules, identity))
    }
}

/// Nobody's address.
const UNKNOWN: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

impl Peer {
    /// Whom its address stands for.
    fn ip(&self) -> IpAddr {
        self.address.map_or(UNKNOWN, |address| network(address.ip()))
    }

    /// The address, for the log.
    pub(crate) fn shown(&self) -> String {
        self.address.map(|address: SocketAddr| address.to_string()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
