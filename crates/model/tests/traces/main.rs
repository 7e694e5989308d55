//! Traces of the model's own runs are good, and each way of damaging one is found where it was done.

#[cfg(test)]
mod account;
#[cfg(test)]
mod commands;
#[cfg(test)]
mod devices;
#[cfg(test)]
mod form;
#[cfg(test)]
mod good;
#[cfg(test)]
mod guarantees;
#[cfg(test)]
mod recorded;
#[cfg(test)]
mod revisions;
#[cfg(test)]
mod shared;
#[cfg(test)]
mod support;
