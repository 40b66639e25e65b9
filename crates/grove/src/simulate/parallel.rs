use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::ThreadPoolBuilder;

/// Does the runs 0 to `runs`, as many at once as there are cores, and gives their results in order.
///
/// Every run has threads of its own. Were they shared, a run that waits for its trees would take up another run meanwhile, and
/// the time of a vote would be that of many.
pub(super) fn over_runs<T: Send>(
    runs: u64,
    work: impl Fn(u64) -> anyhow::Result<T> + Sync,
) -> anyhow::Result<Vec<T>> {
    let cores = rayon::current_num_threads();
    let at_once = cores.min(usize::try_from(runs).unwrap_or(cores));
    let next = AtomicU64::new(0);
    let results: Mutex<Vec<(u64, anyhow::Result<T>)>> = Mutex::new(Vec::new());
    let worker = || -> anyhow::Result<()> {
        let pool = ThreadPoolBuilder::new().num_threads((cores / at_once).max(1)).build()?;
        loop {
            let run = next.fetch_add(1, Ordering::Relaxed);
            if run >= runs {
                return Ok(());
            }
            let result = pool.install(|| work(run));
            results.lock().expect("no run panics while it holds the results").push((run, result));
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..at_once).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("a run does not panic"))
    })?;
    let mut results = results.into_inner().expect("all runs have ended");
    results.sort_by_key(|&(run, _)| run);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_errors_come_through() {
        assert_eq!(over_runs(9, |run| Ok(run * run)).unwrap(), [0, 1, 4, 9, 16, 25, 36, 49, 64]);
        let fails = |run| if run == 3 { Err(anyhow::anyhow!("run three")) } else { Ok(run) };
        assert_eq!(over_runs(9, fails).unwrap_err().to_string(), "run three");
    }
}
