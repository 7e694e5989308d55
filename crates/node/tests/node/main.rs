//! A node with everything real but the disk: core, yang, gNMI over sockets, simulated devices.

mod adoption;
mod clients;
mod defaults;
mod lab;
mod writes;
