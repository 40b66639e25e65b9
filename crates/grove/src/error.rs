//! How a failing command ends: one line on standard error, and an exit code that distinguishes bad input from failures.

use std::fmt::Display;
use std::io;
use std::process::ExitCode;

use clap::error::ErrorKind;

/// Something failed while running.
const FAILED: u8 = 1;

/// The input or the options are wrong, and the user can correct them.
const BAD_INPUT: u8 = 2;

/// Input that the user can correct. The message names the file, the line, the cause and the remedy in one line.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct BadInput(String);

/// An error for input that the user can correct.
pub(crate) fn bad_input(message: impl Display) -> anyhow::Error {
    BadInput(message.to_string()).into()
}

/// Prints an error in one line and returns the exit code. A closed output pipe is not an error.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    let is_broken_pipe = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(is_broken_pipe) {
        return ExitCode::SUCCESS;
    }
    eprintln!("error: {}", message(error));
    ExitCode::from(if is_bad_input(error) { BAD_INPUT } else { FAILED })
}

/// What is printed of an error: one line.
#[must_use]
pub fn message(error: &anyhow::Error) -> String {
    let lines: Vec<String> = format!("{error:#}").lines().map(|line| line.trim().to_owned()).collect();
    lines.join(" ")
}

/// Whether the user can correct what went wrong.
#[must_use]
pub fn is_bad_input(error: &anyhow::Error) -> bool {
    use grove_lab::Error as Lab;
    use grove_server::Error as Server;
    if let Some(error) = error.downcast_ref::<grove_campaign::Error>() {
        return is_bad_campaign_input(error);
    }
    if let Some(error) = error.downcast_ref::<grove_store::Error>() {
        return is_bad_store_input(error);
    }
    if let Some(error) = error.downcast_ref::<Lab>() {
        return matches!(
            error,
            Lab::Io { .. }
                | Lab::BadTable { .. }
                | Lab::NoResults { .. }
                | Lab::NoTables(_)
                | Lab::BadDatabase
        );
    }
    match error.downcast_ref::<Server>() {
        Some(Server::BadPublicUrl(_) | Server::CannotListen { .. } | Server::BadPassword(_)) => true,
        Some(Server::Store(error)) => is_bad_store_input(error),
        Some(Server::Campaign(error)) => is_bad_campaign_input(error),
        _ => error.is::<BadInput>() || error.is::<grove_formats::Error>(),
    }
}

fn is_bad_campaign_input(error: &grove_campaign::Error) -> bool {
    match error {
        grove_campaign::Error::Store(error) => is_bad_store_input(error),
        error => !matches!(error, grove_campaign::Error::Gone),
    }
}

fn is_bad_store_input(error: &grove_store::Error) -> bool {
    use grove_store::Error as Store;
    !matches!(
        error,
        Store::Busy
            | Store::DiskFull
            | Store::Unreachable(_)
            | Store::Closed
            | Store::Database(_)
            | Store::Damaged(_)
            | Store::NotTheHolder
            | Store::BadAdvance { .. }
    )
}

/// Prints in one line what is wrong with the options, or the help that was asked for.
pub(crate) fn report_usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // The output may be closed.
        let _ = error.print();
        return ExitCode::from(error.exit_code() as u8);
    }
    let text = error.render().to_string();
    let message =
        text.lines().take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let parts: Vec<&str> = message.map(str::trim).filter(|line| !line.is_empty()).collect();
    eprintln!("{}; `grove help` explains the options", parts.join("; ").replace(":; ", ": "));
    ExitCode::from(BAD_INPUT)
}
