//! `grove infer`: recorded votes in, a hierarchy with certainties out.

mod input;
mod json;
mod solve;
mod text;

use grove_belief::{Belief, Measures, Report, ReportOptions, path_auc};
use grove_formats::{Hierarchy, write};
use grove_tree::Tree;

use crate::args::Infer;
use crate::failure::bad_input;
use crate::files;
use crate::found;
use crate::terminal::{self, RED_LINE};
use input::Input;

/// All that `grove infer` has to tell.
struct Findings<'a> {
    options: &'a Infer,
    input: &'a Input,
    report: &'a Report,
    hierarchy: &'a Hierarchy,
    measures: Option<Measured>,
}

/// How the result compares with the truth.
struct Measured {
    edges: Measures,
    /// The area under the ROC curve of the paths; none past the number of concepts for which all pairs can be asked.
    path_auc: Option<f64>,
}

/// Up to this many concepts the paths are measured too: all pairs of them are asked for.
const PATHS_UP_TO: usize = 500;

/// Reads, infers, and prints or writes.
pub(crate) fn run(options: &Infer, quiet: bool) -> anyhow::Result<()> {
    options.writing.out.as_deref().map_or(Ok(()), files::check_writable)?;
    let input = Input::read(options)?;
    let belief = solve::solve(options, &input, quiet)?;
    let report = Report::of(&*belief, &ReportOptions::default().doubtful_below(RED_LINE)?);
    let heading = options.writing.heading(input.heading());
    let hierarchy = found::hierarchy(&*belief, &report, heading, input.concepts()).map_err(bad_input)?;
    let measures = input.truth.as_ref().map(|truth| measure(&*belief, truth)).transpose()?;
    let findings = Findings { options, input: &input, report: &report, hierarchy: &hierarchy, measures };
    let text = match (options.json, options.format) {
        (true, _) => json::write(&findings)?,
        (false, Some(format)) => write(&hierarchy, format, &options.writing.options()).map_err(bad_input)?,
        (false, None) => text::write(&findings, options.writing.out.is_none() && terminal::may_colour()),
    };
    files::write(options.writing.out.as_deref(), &text)
}

fn measure(belief: &dyn Belief, truth: &Tree) -> anyhow::Result<Measured> {
    let few = truth.len() <= PATHS_UP_TO;
    let path_auc = few.then(|| path_auc(|upper, lower| belief.path(upper, lower), truth)).flatten();
    Ok(Measured { edges: Measures::of(belief, truth)?, path_auc })
}
