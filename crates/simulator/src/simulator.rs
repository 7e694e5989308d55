//! Many devices in one process.

use std::net::SocketAddr;

use crate::device::Saved;
use crate::{Device, Error, Options, Setup, files};

/// Devices that run until this is stopped or dropped.
#[derive(Debug)]
pub struct Simulator {
    devices: Vec<Device>,
    addresses: Vec<SocketAddr>,
}

impl Simulator {
    /// Starts all devices; each listens when this returns. To be called within a tokio runtime.
    pub fn start(options: Options) -> Result<Self, Error> {
        Self::start_with(options, &Setup::default())
    }

    /// Starts all devices with something that they have in common.
    pub fn start_with(options: Options, setup: &Setup) -> Result<Self, Error> {
        let Options { models, listen, count } = options;
        files::make_room(count)?;
        if let Some(folder) = &setup.state {
            let failed = |error: std::io::Error| Error::State {
                path: folder.clone(),
                reason: error.to_string(),
            };
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let server = setup.server()?;
        let mut simulator = Self { devices: Vec::new(), addresses: Vec::new() };
        for number in 0..count {
            let address = address(listen, number, count)?;
            let saved = Saved::new(setup.state.as_deref(), usize::from(number) + 1);
            // Dropped on an error, and the devices before this one with it.
            let device = Device::start(models.clone(), address, server.clone(), saved)?;
            simulator.addresses.push(device.address());
            simulator.devices.push(device);
        }
        Ok(simulator)
    }

    /// Where the devices listen, in their order.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// All devices, in their order.
    pub fn devices(&self) -> &[Device] {
        &self.devices
    }

    /// One device, counted from 0.
    pub fn device(&self, number: usize) -> Option<&Device> {
        self.devices.get(number)
    }

    /// Ends all devices. When this returns nothing listens any more and every connection is closed.
    pub async fn stop(self) {
        for device in &self.devices {
            device.stop().await;
        }
    }
}

/// As [`Simulator::stop`], except that nobody waits for it.
impl Drop for Simulator {
    fn drop(&mut self) {
        self.devices.iter().for_each(Device::abandon);
    }
}

fn address(first: SocketAddr, number: u16, count: u16) -> Result<SocketAddr, Error> {
    let mut address = first;
    if first.port() != 0 {
        let port = first.port().checked_add(number);
        address.set_port(port.ok_or(Error::Ports { first: first.port(), count })?);
    }
    Ok(address)
}
