//! A value that can be waited for, with waiters woken in the order in which they came: tokio's `watch` wakes them in an
//! order that it draws, which no seed of ours decides.

use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

/// A value that changes.
#[derive(Debug, Default)]
pub struct Signal<T> {
    value: Mutex<T>,
    changed: Notify,
}

impl<T> Signal<T> {
    /// Begins with this.
    pub fn new(value: T) -> Self {
        Self { value: Mutex::new(value), changed: Notify::new() }
    }

    /// Looks at it.
    pub fn look<U>(&self, look: impl FnOnce(&T) -> U) -> U {
        look(&self.value.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes it, and wakes whoever waits.
    pub fn change<U>(&self, change: impl FnOnce(&mut T) -> U) -> U {
        let changed = change(&mut self.value.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_waiters();
        changed
    }

    /// Waits until it is as wanted.
    pub async fn until(&self, wanted: impl Fn(&T) -> bool) {
        loop {
            let changed = self.changed.notified();
            if self.look(&wanted) {
                return;
            }
            changed.await;
        }
    }
}
