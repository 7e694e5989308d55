//! A device that does as it is told, the way to it, and a link with its events.

mod device;
mod proxy;
mod simulated;
mod world;

pub(crate) use device::{Changes, Device, Reaction};
pub(crate) use proxy::Proxy;
pub(crate) use simulated::simulated;
pub(crate) use world::{
    ELECTION, MANDATE, World, accepted, delta, leaf, load_shapes, models, named, options, path,
    within,
};
