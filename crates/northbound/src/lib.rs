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
//! Where to look: [`serve`] the listeners; `gnmi` its RPCs; `hub` what changed, for subscribers; `admin` those of `lockstep.v1`; `refusal`
//! the one table from what went wrong to a gRPC code.

mod admin;
mod answers;
mod connection;
mod deadline;
mod fresh;
mod gnmi;
mod http;
mod hub;
mod ids;
mod outcome;
mod refusal;
mod serve;
mod text;
mod tls;
mod workers;

pub use serve::{Error, Limits, Options, Server, Tls, serve};
