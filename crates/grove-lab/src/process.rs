//! Time and memory of this process, as Linux reports them.

use std::fs;
use std::time::Instant;

/// Measures the seconds that this thread is on a processor. Systems other than Linux do not report it: there, the elapsed time.
pub(crate) struct Stopwatch {
    clock: Instant,
    busy: Option<f64>,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self { clock: Instant::now(), busy: busy_seconds() }
    }

    pub(crate) fn seconds(&self) -> f64 {
        match (self.busy, busy_seconds()) {
            (Some(before), Some(after)) => after - before,
            _ => self.clock.elapsed().as_secs_f64(),
        }
    }
}

fn busy_seconds() -> Option<f64> {
    let status = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    status.split_whitespace().next()?.parse().ok().map(|nanoseconds: f64| nanoseconds / 1e9)
}

/// Resets the peak memory, where the system is Linux and allows it; elsewhere the peak is that of the whole run.
pub(crate) fn reset_peak_memory() {
    fs::write("/proc/self/clear_refs", "5").ok();
}

/// The peak memory in megabytes since the last reset.
pub(crate) fn peak_megabytes() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some((kilobytes / 100.0).round() / 10.0)
}
