//! How a command ends that does not end well: one line, and a code that tells whose fault it was.

use std::fmt;
use std::io;
use std::process::ExitCode;

use clap::error::ErrorKind;

/// Something failed while running.
const FAILED: u8 = 1;

/// The input or the options are wrong; the person can correct them.
const BAD_INPUT: u8 = 2;

/// What the person gave and can correct. The message names the file, the line, the cause and the remedy in one line.
#[derive(Debug)]
struct BadInput(String);

impl fmt::Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadInput {}

/// An error of the person's own making.
pub(crate) fn bad_input(message: impl fmt::Display) -> anyhow::Error {
    BadInput(message.to_string()).into()
}

/// Says what went wrong, and gives the code to end with. Whoever reads our output may stop reading: that is no failure.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    if error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
        return ExitCode::SUCCESS;
    }
    let one_line: Vec<String> = format!("{error:#}").lines().map(|line| line.trim().to_owned()).collect();
    eprintln!("error: {}", one_line.join(" "));
    ExitCode::from(if error.is::<BadInput>() { BAD_INPUT } else { FAILED })
}

/// Says what is wrong with the options, in one line; or prints the help that was asked for.
pub(crate) fn report_options(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // Nobody may be reading.
        let _ = error.print();
        return ExitCode::from(error.exit_code() as u8);
    }
    let text = error.render().to_string();
    let told = text.lines().take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let parts: Vec<&str> = told.map(str::trim).filter(|line| !line.is_empty()).collect();
    eprintln!("{}; `grove help` explains the options", parts.join("; ").replace(":; ", ": "));
    ExitCode::from(BAD_INPUT)
}
