//! The command line as a whole: options that every command takes, and the list of commands.

use std::process::{ExitCode, Termination};

use anyhow::Context as _;
use clap::{Parser, Subcommand};
use tokio::runtime::Builder;

use crate::commands::*;
use crate::context::Context;

/// Builds hierarchies of concepts by asking people short questions.
///
/// Grove asks "Is an orange a kind of fruit?", keeps a probability distribution over all possible hierarchies, picks the most
/// informative question, and returns the hierarchy with its certainty on every edge.
#[derive(Parser, Debug)]
#[command(name = "grove", version, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print only results and errors: no progress, no remarks.
    #[arg(long, short, global = true)]
    quiet: bool,
    /// The database: a file, or postgres://user:password@host/name [default: $GROVE_DATABASE, or grove.db].
    #[arg(long, global = true, value_name = "FILE_OR_URL")]
    database: Option<String>,
}

const AFTER_HELP: &str = "\
Start here:
  grove demo                                              watch it work on 26 foods, in your browser
  grove new food --concepts food.txt                      create a campaign; then grove ask, show, export
  grove serve                                             the same in a browser, for many people
  grove infer --concepts food.txt --answers votes.csv     from recorded votes to a hierarchy
  grove simulate --truth random:15 --noise 0.05           how many questions it would take
  grove help infer                                        every command has examples

Exit codes: 0 success, 1 something failed while running, 2 the input or the options are wrong (nothing
was written).
NO_COLOR=1 turns colours off.";

/// Declares the commands, in the order in which `grove help` lists them.
macro_rules! commands {
    ($($module:ident::$Command:ident),+ $(,)?) => {
        #[derive(Subcommand, Debug)]
        enum Command {
            $($Command($module::$Command)),+
        }

        impl Command {
            async fn run(&self, context: &Context) -> anyhow::Result<ExitCode> {
                Ok(match self {
                    $(Self::$Command(command) => command.run(context).await?.report()),+
                })
            }
        }
    };
}

commands! {
    demo::Demo, serve::Serve, infer::Infer, simulate::Simulate, lab::Lab, diff::Diff, concepts::Concepts,
    convert::Convert, new::New, list::List, ask::Ask, answers::Answers, ask_model::AskModel, recruit::Recruit, show::Show, why::Why, add::Add,
    remove::Remove, merge::Merge, rename::Rename, describe::Describe, pin::Pin, forbid::Forbid, free::Free,
    pause::Pause, resume::Resume, import::Import, votes::Votes, export::Export, history::History,
    replay::Replay, invite::Invite, workers::Workers, erase_worker::EraseWorker, user::User, backup::Backup, restore::Restore, doctor::Doctor,
    health::Health, completions::Completions, man::Man,
}

impl Cli {
    /// Runs the command and returns the exit code.
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        // Servers answer many requests at once, and threads of the lab share one database; all other commands do one thing after another.
        let mut runtime = match self.command {
            Command::Demo(_)
            | Command::Serve(_)
            | Command::Recruit(_)
            | Command::AskModel(_)
            | Command::Lab(_) => Builder::new_multi_thread(),
            _ => Builder::new_current_thread(),
        };
        let runtime = runtime.enable_all().build().context("cannot start the asynchronous runtime")?;
        let context = Context::new(self.database, self.quiet);
        let code = runtime.block_on(async {
            let code = self.command.run(&context).await;
            context.close().await;
            code
        });
        // Computations that nobody waits for any more do not delay the end.
        runtime.shutdown_background();
        code
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_has_an_example() {
        for command in Cli::command().get_subcommands() {
            let name = command.get_name().to_owned();
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains(&format!("grove {name}")), "grove {name} --help has no example");
        }
    }
}
