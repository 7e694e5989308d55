//! How many files the process may have open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::Error;

/// Open besides the listeners: connections, the runtime, the terminal.
const OTHERS: u64 = 100;

/// Makes room for the listeners of so many devices.
pub(crate) fn make_room(devices: u16) -> Result<(), Error> {
    let needed = u64::from(devices) + OTHERS;
    let limit = getrlimit(Resource::Nofile);
    let enough = |limit: Option<u64>| limit.is_none_or(|limit| limit >= needed);
    if enough(limit.current) {
        return Ok(());
    }
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    if enough(limit.maximum) && setrlimit(Resource::Nofile, raised).is_ok() {
        return Ok(());
    }
    let limit = limit.maximum.or(limit.current).unwrap_or(0);
    Err(Error::Files { devices, needed, limit })
}
