//! A panic anywhere in this process, also one that somebody catches or that ends a task nobody waits for: a run in which
//! there was one has failed, whatever else came of it.

use std::panic::{self, PanicHookInfo};
use std::sync::{Once, OnceLock};

/// The first of them. What comes after it may well be its consequence.
static FIRST: OnceLock<String> = OnceLock::new();

/// From here on each is heard of. It is still written down as any other, with its way there if `RUST_BACKTRACE` asks for that.
pub fn listen() {
    static LISTENING: Once = Once::new();
    LISTENING.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let _ = FIRST.set(told(info));
            before(info);
        }));
    });
}

/// The first panic since somebody listens: where, and what it said.
#[must_use]
pub fn first() -> Option<&'static str> {
    FIRST.get().map(String::as_str)
}

fn told(info: &PanicHookInfo<'_>) -> String {
    let said = info.payload().downcast_ref::<String>().map(String::as_str);
    let said = said.or_else(|| info.payload().downcast_ref::<&str>().copied());
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    format!("panicked at {place}: {}", said.unwrap_or("it said nothing"))
}
