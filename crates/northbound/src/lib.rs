//! What clients meet: gNMI, the admin API, HTTP. No protocol logic: a request becomes words of
//! `types`, gets its edit from `yang`, goes to the node, and its outcome becomes an answer.
//!
//! ```text
//!   SetRequest ── gnmi ──► operations ── yang ──► Edit per target ──► Handle::submit
//!                                                                        │
//!   SetResponse ◄── response, or error + Outcome ◄── the transaction ◄───┘
//!
//!   Subscribe ◄── notifications ◄── leaves ◄── yang ◄── hub ◄── every revision of the node
//! ```
//!
//! Every call comes in through `guard`, which knows who makes it and what they may do.
//!
//! Where to look: [`serve`] the listeners; `guard` the door, with `identity` who comes in, `access` the rules,
//! `veil` what is shown to whom and `audit` what is written down; `gnmi` its RPCs; `hub` what changed, for subscribers; `admin` those of `lockstep.v1`; `refusal`
//! the one table from what went wrong to a gRPC code.

mod access;
mod admin;
mod answers;
mod audit;
mod comment;
mod connection;
mod deadline;
mod directory;
mod fresh;
mod gnmi;
mod guard;
mod http;
mod hub;
mod identity;
mod ids;
pub mod metrics;
mod network;
mod outcome;
mod patience;
mod porch;
mod refusal;
mod serve;
mod serving;
mod shares;
mod standing;
mod teller;
mod text;
mod tls;
mod veil;
mod workers;

pub use access::{
    Access, AuditTo, Glob, Pattern, PatternError, Reader, Right, Role, Rules, Source, User,
};
pub use directory::{Directory, Loaded, Unbound, Unloaded, reload};
pub use identity::{HashError, Issuer, KeyError, Keys, check_hash, hash, is_persons_name};
pub use porch::Porch;
pub use serve::{Error, Limits, Options, Server, Tls, serve};
