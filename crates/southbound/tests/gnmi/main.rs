//! The gNMI driver against servers made for the purpose: each shows one thing that devices do.

mod answers;
mod arbitration;
mod connecting;
mod ends;
mod reading;
mod simulator;
mod support;
mod tls;
