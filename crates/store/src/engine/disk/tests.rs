//! Power cuts: what was not synced is lost, in part or in whole, and the disk may fail at any write.

mod cuts;
mod drive;
mod random;
mod syncs;

use redb::Database;

use super::Disk;
use crate::Error;
use crate::ledger::Ledger;
use drive::Drive;

/// Makes the file, as it is done under another name.
fn make(drive: Drive) -> Result<(), Error> {
    let database = Database::builder().set_cache_size(1 << 20).create_with_backend(drive);
    Disk::new(database.map_err(super::failed)?)?;
    Ok(())
}

fn open(drive: Drive) -> Result<Ledger, Error> {
    let database = Database::builder().set_cache_size(1 << 20).create_with_backend(drive);
    Ledger::open(Disk::new(database.map_err(super::failed)?)?)
}
