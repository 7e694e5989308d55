//! A gNMI device driven by any YANG models, with faults on demand.
//!
//! A [`Simulator`] runs any number of devices in one process, each on a port of its own, all of one
//! [`ModelSet`](lockstep_yang::ModelSet). What a device holds is a
//! [`Configuration`](lockstep_types::Configuration), so a snapshot of it is a pointer, and a device
//! that nobody talks to costs a listening socket and little more.
//!
//! ```text
//!              ┌───────────────── Device ─────────────────┐
//!   gNMI ──────┤ service   Capabilities, Get, Set,        │
//!              │    │      Subscribe; one Set at a time   │
//!              │    ▼                                     │
//!              │  state    configuration, masters, faults │
//!              │    ▲      journal of all that was asked  │
//!   Control ───┤ control   faults, restart, journal       │
//!              └── power   listener and connections ──────┘
//! ```
//!
//! A Set goes through arbitration (per role, a smaller election id is turned away), is put on a
//! copy of the configuration, may be refused by a fault, is validated as a whole, and takes the place
//! of the configuration in one move. A Get meanwhile sees what stood before. Subscribers look at what
//! stands after each change and are told the difference; who is slow is told what came of several.
//!
//! [`faults`] act on requests before, while and after they are worked on. Which ones is settled when
//! a request comes in, and they are in its entry of the [`journal`], with what the client was told.
//!
//! A restart is that of a killed process: the listener closes, connections break, what was under way
//! never happens, and masters are forgotten. Whether the configuration survives is up to the caller.
//!
//! ```no_run
//! use lockstep_simulator::{Options, Simulator, faults::{Does, Feature, Refusal}};
//!
//! # async fn example(models: lockstep_yang::ModelSet) -> Result<(), Box<dyn std::error::Error>> {
//! let listen = "127.0.0.1:57400".parse()?;
//! let simulator = Simulator::start(Options { models, listen, count: 2 })?;
//! let [leaf1, leaf2] = simulator.devices() else { return Ok(()) };
//! leaf1.set_faults([
//!     Refusal::of("/system/motd".parse()?).into(),
//!     Does::Ignore(Feature::Arbitration).always(),
//!     Does::Hang(None).once(),
//! ]);
//! leaf2.restart(false).await?;
//! # Ok(())
//! # }
//! ```
//!
//! Absent: shortcuts into Lockstep, which meets a device over the network only; state that does not
//! mirror configuration; encodings other than JSON.

pub mod control;
pub mod device;
mod edit;
mod error;
pub mod faults;
mod files;
pub mod journal;
mod options;
mod service;
pub mod setup;
mod shown;
mod simulator;

pub use device::Device;
pub use error::Error;
pub use faults::Faults;
pub use options::Options;
pub use setup::Setup;
pub use simulator::Simulator;
