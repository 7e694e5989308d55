//! Decision tests: a state and an event go in, the exact commands come out.
//!
//! Each subject has a file. [`support`] has the world they play in: one or two nodes, a store that checks
//! compares as the real ones do, devices that accept everything, and builders for what is expected.

#[cfg(test)]
mod support;

#[cfg(test)]
mod absences;
#[cfg(test)]
mod additions;
#[cfg(test)]
mod admission;
#[cfg(test)]
mod answer_by;
#[cfg(test)]
mod answers;
#[cfg(test)]
mod apply_and_record;
#[cfg(test)]
mod batches;
#[cfg(test)]
mod cancel;
#[cfg(test)]
mod deadlines;
#[cfg(test)]
mod fallback;
#[cfg(test)]
mod given_up;
#[cfg(test)]
mod ids;
#[cfg(test)]
mod mastership;
#[cfg(test)]
mod operate;
#[cfg(test)]
mod recheck;
#[cfg(test)]
mod refusal_turns;
#[cfg(test)]
mod restore;
#[cfg(test)]
mod resync;
#[cfg(test)]
mod resync_refused;
#[cfg(test)]
mod retention;
#[cfg(test)]
mod rollback;
#[cfg(test)]
mod rollback_refused;
#[cfg(test)]
mod set_back;
#[cfg(test)]
mod share;
#[cfg(test)]
mod statuses;
#[cfg(test)]
mod submit_and_decide;
#[cfg(test)]
mod together;
#[cfg(test)]
mod trials;
#[cfg(test)]
mod undo;
#[cfg(test)]
mod unfenced;
#[cfg(test)]
mod unknown_outcome;
#[cfg(test)]
mod waiting;
#[cfg(test)]
mod waits_recorded;
#[cfg(test)]
mod wide;
mod windows;
#[cfg(test)]
mod withdrawal;
