//! Where records are kept: the contract, an embedded store, one in memory, and the records of `protocol` on top.
