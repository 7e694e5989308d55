//! The running node: the core, fed and carried out.
