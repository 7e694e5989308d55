//! The words that others may rely on for how transactions and targets stand. What is more exact is its `stage`, to which words may
//! be added.

/// Of a transaction, in the order in which they come about.
pub const STATUSES: [&str; 8] = [
    "pending",
    "committed",
    "reverting",
    "applied",
    "partial",
    "rejected",
    "reverted",
    "cancelled",
];

/// Of one that has no outcome yet.
pub const OPEN: [&str; 3] = ["pending", "committed", "reverting"];

/// Of a transaction on one of its targets.
pub const PARTS: [&str; 5] = ["pending", "applied", "refused", "withdrawn", "undone"];

/// What a transaction does.
pub const KINDS: [&str; 7] = ["change", "rollback", "restore", "adopt", "add", "rebind", "remove"];

/// Of a target.
pub const STATES: [&str; 6] =
    ["pending", "synchronising", "synchronised", "drifted", "paused", "failed"];

/// More exactly: every device has it on trial, and is told to keep it; the device has it on trial.
pub const STAGES: [&str; 2] = ["confirming", "accepted"];
