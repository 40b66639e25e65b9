//! `grove simulate`: a crowd that knows the truth, and how many questions it takes to find it.

mod output;
mod parallel;
mod plan;
mod pool;
mod run;

use crate::args::Simulate;
use crate::files;
use crate::progress;
use plan::Plan;

/// Plans, runs, and tells.
pub(crate) fn run(options: &Simulate, quiet: bool) -> anyhow::Result<()> {
    let plan = Plan::new(options)?;
    let bar = progress::bar(quiet, options.runs * plan.questions, "votes at most");
    let outcomes =
        parallel::over_runs(options.runs, |run| run::run(&plan, options.seed.wrapping_add(run), &bar))?;
    bar.finish_and_clear();
    match options.json {
        true => files::print(&output::json(&plan, &outcomes)?),
        false => files::print(&output::text(&plan, &outcomes)),
    }
}
