//! `make bench`: what a change costs as the configuration and the log grow, and what the store makes of
//! it, and the models (alone: `cargo run --release -p lockstep-bench -- store`, or `yang`).
//!
//! Machines differ and are shared, so a figure means little by itself: every row is also given as a
//! ratio to its floor, the same work on the smallest size, measured in the same run.

mod core;
mod measure;
mod store;
mod trees;
mod yang;

use measure::Row;

fn main() -> Result<(), store::Failed> {
    if std::env::args().any(|argument| argument == "store") {
        return store::run();
    }
    if std::env::args().any(|argument| argument == "yang") {
        yang::run(print);
        return Ok(());
    }
    println!("{:44} {:>10} {:>12} {:>8}", "what", "size", "ns each", "ratio");
    for table in [trees::rows(), core::rows()] {
        table.iter().for_each(print);
        println!();
    }
    yang::run(print);
    println!();
    store::run()
}

fn print(row: &Row) {
    println!("{:44} {:>10} {:>12.0} {:>8.2}", row.what, row.size, row.nanoseconds, row.ratio);
}
