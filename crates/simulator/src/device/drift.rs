//! Changes behind the back of all clients.

use std::sync::{Arc, Weak};

use lockstep_types::Path;
use lockstep_yang::{Data, DataForm, EditError, Operation};
use serde_json::Value as Json;
use tokio::time::sleep;
use tracing::warn;

use super::{Device, Inner};
use crate::edit;
use crate::faults::Drift;
use crate::journal::{Entry, Kind};

/// Why a device cannot drift so.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The models do not have it.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The simulator failed.
    #[error("the simulator failed: {0}")]
    Failed(String),
}

impl Device {
    /// Changes what it holds at a path (none: deletes it), without a client. Whether the models allow
    /// the result is not asked.
    pub async fn drift(&self, path: &Path, value: Option<Json>) -> Result<(), Error> {
        let turn = self.sets().lock_owned().await;
        let (device, path) = (self.clone(), path.clone());
        let done = tokio::task::spawn_blocking(move || {
            let done = device.drift_now(&path, value);
            drop(turn);
            done
        });
        done.await.map_err(|error| Error::Failed(error.to_string()))?
    }

    fn drift_now(&self, path: &Path, value: Option<Json>) -> Result<(), Error> {
        let before = self.configuration();
        let operation = match value {
            None => Operation::Delete(path.clone()),
            Some(json) => {
                let data = Data { form: DataForm::Json, json };
                Operation::Replace(path.clone(), data)
            }
        };
        let (delta, paths) = edit::delta(self.models(), &before, &[operation])?;
        let mut after = before.clone();
        after.apply_values(&delta);
        if after.same_values(&before) {
            return Ok(());
        }
        let mut state = self.state();
        self.put(&mut state, after, "");
        state.write(Entry { paths, ..Entry::new(Kind::Drift) });
        Ok(())
    }

    /// Starts what the device is to do by itself from now on, and ends what it did so far.
    pub(super) fn drift_as_planned(&self) {
        let (drifts, plan) = {
            let mut state = self.state();
            state.plan += 1;
            (state.faults.drifts(), state.plan)
        };
        for drift in drifts {
            self.0.runtime.spawn(drifting(Arc::downgrade(&self.0), drift, plan));
        }
    }
}

/// Drifts until the device has another plan, or is no more.
async fn drifting(device: Weak<Inner>, drift: Drift, plan: u64) {
    let mut left = drift.times;
    while left != Some(0) {
        sleep(drift.every).await;
        let Some(device) = device.upgrade().map(Device) else { return };
        if device.is_stopped() || device.state().plan != plan {
            return;
        }
        for path in &drift.paths {
            if let Err(error) = device.drift(path, drift.value.clone()).await {
                warn!(address = %device.address(), %path, %error, "a device cannot drift");
            }
        }
        left = left.map(|times| times - 1);
        if left == Some(0) {
            device.state().faults.is_over(&drift);
        }
    }
}
