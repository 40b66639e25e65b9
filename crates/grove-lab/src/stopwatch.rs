use std::fs;
use std::time::Instant;

/// Measures the seconds that this thread is at work. Where the system does not tell (it is not Linux), those on the clock.
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

/// How long this thread has been on a processor; Linux tells it in nanoseconds.
fn busy_seconds() -> Option<f64> {
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split_whitespace().next()?.parse().ok().map(|nanoseconds: f64| nanoseconds / 1e9)
}
