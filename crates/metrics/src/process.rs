//! The process: what it is, and what it takes. By the names that every Prometheus client has for it.

use std::fs;

use rustix::param::{clock_ticks_per_second, page_size};

use crate::{Family, Gauge, Label, Reading, Series};

/// What it is.
pub static BUILD: Family<Gauge, 1> = Family::gauge(
    "lockstep_build_info",
    "Always 1; its label says which version runs.",
    &[Label { name: "version", values: &[env!("CARGO_PKG_VERSION")] }],
);
static CPU: Family<Reading, 1> =
    Family::reading("process_cpu_seconds_total", "Time that cores have spent on it.", &[]);
static RESIDENT: Family<Gauge, 1> =
    Family::gauge("process_resident_memory_bytes", "Memory that it holds.", &[]);
static VIRTUAL: Family<Gauge, 1> =
    Family::gauge("process_virtual_memory_bytes", "Memory that it has addresses for.", &[]);
static FILES: Family<Gauge, 1> =
    Family::gauge("process_open_fds", "Files and connections that it has open.", &[]);
static MOST_FILES: Family<Gauge, 1> =
    Family::gauge("process_max_fds", "How many of those it may have open.", &[]);
static THREADS: Family<Gauge, 1> = Family::gauge("process_threads", "Its threads.", &[]);
static BEGUN: Family<Gauge, 1> =
    Family::gauge("process_start_time_seconds", "When it was started, in Unix time.", &[]);

/// All of it.
pub static ALL: &[&dyn Series] =
    &[&BUILD, &CPU, &RESIDENT, &VIRTUAL, &FILES, &MOST_FILES, &THREADS, &BEGUN];

/// Looks at what it takes now, as far as the system tells: some reads of `/proc`.
pub fn look() {
    BUILD.set(1.0);
    let _untold = stat();
    let _untold = limit();
    if let Ok(files) = fs::read_dir("/proc/self/fd") {
        FILES.count(files.count() as u64);
    }
}

/// From `/proc/self/stat`; its second field is a name in brackets that may have anything in it.
fn stat() -> Option<()> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let (_, behind) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = behind.split_ascii_whitespace().collect();
    // Numbered from 1 in proc(5), where the first behind the name is 3.
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok().map(|n| n as f64);
    let tick = clock_ticks_per_second() as f64;
    CPU.set((field(14)? + field(15)?) / tick);
    THREADS.set(field(20)?);
    VIRTUAL.set(field(23)?);
    RESIDENT.set(field(24)? * page_size() as f64);
    let whole = fs::read_to_string("/proc/stat").ok()?;
    let booted = whole.lines().find_map(|line| line.strip_prefix("btime "))?;
    BEGUN.set(booted.trim().parse::<f64>().ok()? + field(22)? / tick);
    Some(())
}

fn limit() -> Option<()> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    let soft = line.split_ascii_whitespace().next()?;
    MOST_FILES.set(soft.parse().unwrap_or(f64::INFINITY));
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_tells_all_of_it() {
        look();
        let mut missing = Vec::new();
        for one in ALL {
            one.samples(&mut |_, _, value| {
                if one.name() != CPU_NAME && value <= 0.0 {
                    missing.push(one.name());
                }
            });
        }
        assert!(missing.is_empty(), "{missing:?}");
    }

    /// A test may be too quick for it to count.
    const CPU_NAME: &str = "process_cpu_seconds_total";
}
