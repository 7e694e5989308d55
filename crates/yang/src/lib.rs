//! Model sets: schema, data in and out, verdicts. The only room that knows libyang.
//!
//! # The mental model
//!
//! A [`ModelSet`] is a folder of YANG modules, read once. What the rest of the program knows of
//! configuration are units of state by path (`lockstep_types`); what clients and devices know is JSON.
//! Between the two stands this crate:
//!
//! ```text
//!   operations ──── edit ────► Edit       what to clear, what to set
//!   a report ────── read ────► units      what a device holds, and what it holds besides
//!   units ───────── get ─────► JSON       with the defaults in use
//!   a unit ──────── encode ──► JSON
//!   JSON ────────── prune ───► JSON       without what somebody may not see
//!   units ───────── leaves ──► units      one leaf each, with the defaults in use
//!   two of them ─── changes ─► delta      what becomes of those leaves
//!   units ───────── validate ► violations all rules that are broken
//!   valid units and
//!   a delta ─ validate_change► violations the same, at the cost of the change
//! ```
//!
//! The schema is walked at the start into a small tree of our own, which answers what a path is and how
//! JSON is nested. libyang is asked for what only it knows: what a type allows and how its values are
//! written ([`scalar`]), which defaults are in use, and whether a configuration is valid: a whole one
//! ([`validate`]), or what a change to a valid one can have an effect on ([`change`]).
//!
//! # Words that matter
//!
//! - Paths are canonical: names without their module (unless two siblings have the same), the
//!   values of keys as their types write them, identities as `module:name`. Every path that comes in is
//!   made so; all that go out are.
//! - The keys of a list entry are no units. They are in its path.
//! - Setting anything sets the entries and presence containers above it, and clears the other cases of
//!   the choices it lies in.
//! - A value is explicit or it is not there; a default is never stored.
//!
//! ```no_run
//! use lockstep_types::{Configuration, Path};
//! use lockstep_yang::{Data, DataForm, Form, ModelSet, Operation, Options};
//! use serde_json::json;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let models = ModelSet::load(&Options { path: "models/lab".into(), ..Options::default() })?;
//! let eth1: Path = "/interfaces/interface[name=eth1]".parse()?;
//! let data = Data { form: DataForm::Ietf, json: json!({"mtu": 9000}) };
//! let edit = models.edit(&[Operation::Update(eth1.clone(), data)])?;
//!
//! let mut wanted = Configuration::new();
//! wanted.apply_values(&edit.onto(&wanted));
//! assert_eq!(models.validate(&wanted), []);
//! for (path, value) in models.get(&wanted, &eth1, Form::Json)? {
//!     println!("{path}: {value}");
//! }
//! # Ok(())
//! # }
//! ```

pub mod change;
pub mod data;
pub mod edit;
pub mod error;
pub mod get;
pub mod load;
pub mod locate;
pub mod scalar;
pub mod set;
pub mod validate;

mod defaults;
mod fold;
mod instance;
mod intake;
mod leaves;
mod libyang;
mod nearest;
mod overlay;
mod prune;
mod raw;
mod render;
mod rules;
mod schema;
mod xpath;

pub use data::{Data, DataForm, Read};
pub use edit::Operation;
pub use error::{DataError, EditError, Fault, LoadError, PathError};
pub use get::Show;
pub use load::Options;
pub use locate::{Kind, Located, Node};
pub use prune::Fate;
pub use scalar::Form;
pub use set::{ModelSet, Module};
pub use validate::Violation;
