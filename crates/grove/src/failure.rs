//! How a command ends that does not end well: one line, and a code that tells whose fault it was.

use std::fmt;
use std::io;
use std::process::ExitCode;

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
