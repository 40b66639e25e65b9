//! What can be asked for on the command line: one module per command.

mod concepts;
mod convert;
mod demo;
mod diff;
mod infer;
mod lab;
mod noise;
mod serve;
mod shell;
mod simulate;
mod stored;
mod writing;

use clap::{Parser, Subcommand};

pub(crate) use concepts::Concepts;
pub(crate) use convert::Convert;
pub(crate) use demo::Demo;
pub(crate) use diff::Diff;
pub(crate) use infer::Infer;
pub(crate) use lab::{ALL as ALL_EXPERIMENTS, Lab, REPORT};
pub(crate) use noise::{AssumedNoise, CrowdNoise, Engine, PriorShape};
pub(crate) use serve::Serve;
pub(crate) use shell::{Completions, Man};
pub(crate) use simulate::{Simulate, StrategyName, Truth};
pub(crate) use stored::{
    Add, Ask, Backup, Doctor, EraseWorker, Export, Forbid, Free, History, Import, List, Merge, New, Pause,
    Pin, Remove, Rename, Replay, Restore, Resume, Show, Stored, User, UserCommand, Why,
};
pub(crate) use writing::Writing;

/// Builds hierarchies of concepts by asking people short yes/no questions.
///
/// Grove asks "Is an orange a kind of fruit?", keeps a probability distribution over all possible hierarchies, picks the question that
/// tells most, and gives back the hierarchy with its certainty on every edge.
#[derive(Parser, Debug)]
#[command(name = "grove", version, after_help = AFTER_HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Prints no progress and no remarks, only results and errors.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Where campaigns are kept: a file, or postgres://user:password@host/name [default: what GROVE_DATABASE says, or grove.db].
    #[arg(long, global = true, value_name = "FILE_OR_URL")]
    pub(crate) database: Option<String>,
}

const AFTER_HELP: &str = "\
Begin here:
  grove demo                                              watch it work on 26 foods, in your browser
  grove new food --concepts food.txt                      a campaign; then grove ask, show, export
  grove serve                                             the same in a browser, for many people
  grove infer --concepts food.txt --answers votes.csv     from recorded votes to a hierarchy
  grove simulate --truth random:15 --noise 0.05           how many questions it would take
  grove help infer                                        every command explains itself by example

Exit codes: 0 done, 1 something failed while running, 2 the input or the options are wrong (nothing
was written).
NO_COLOR=1 turns colours off.";

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Demo(Demo),
    Serve(Serve),
    Infer(Infer),
    Simulate(Simulate),
    Lab(Lab),
    Diff(Diff),
    Concepts(Concepts),
    Convert(Convert),
    #[command(flatten)]
    Stored(Stored),
    Completions(Completions),
    Man(Man),
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Args::command().debug_assert();
    }

    #[test]
    fn every_command_teaches_by_example() {
        for command in Args::command().get_subcommands() {
            let name = command.get_name().to_owned();
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains(&format!("grove {name}")), "grove {name} --help has no example");
        }
    }
}
