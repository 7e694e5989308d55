//! A whole device, of the lab's models.

use lockstep_simulator::{Device, Options, Simulator};

use super::models;

/// One device; it is there for as long as its simulator is.
pub(crate) fn simulated() -> (Simulator, Device) {
    let listen = ([127, 0, 0, 1], 0).into();
    let simulator = Simulator::start(Options { models: models(), listen, count: 1 }).unwrap();
    let device = simulator.device(0).unwrap().clone();
    (simulator, device)
}
