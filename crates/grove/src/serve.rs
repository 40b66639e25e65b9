//! `grove serve`: campaigns for browsers.

use std::io::{ErrorKind, IsTerminal};

use grove_server::{Config, Error, serve};
use tracing_subscriber::fmt;

use crate::args::Serve;
use crate::failure::bad_input;
use crate::runtime;
use crate::stored::place;

/// Serves until the process is told to end.
pub(crate) fn run(options: &Serve, database: Option<&str>, quiet: bool) -> anyhow::Result<()> {
    let level = if quiet { tracing::Level::WARN } else { tracing::Level::INFO };
    let colours = std::io::stderr().is_terminal();
    fmt().with_max_level(level).with_ansi(colours).with_writer(std::io::stderr).init();
    let config = Config {
        listen: options.listen,
        database: place::of(database),
        public_url: options.public_url.clone(),
        votes_per_quarter_hour: options.rate_limit,
    };
    runtime::many_threads()?.block_on(serve(config)).map_err(refused)
}

/// An address or a database that will not do is for the person to correct.
fn refused(error: Error) -> anyhow::Error {
    match error {
        Error::BadPublicUrl(_) | Error::CannotListen { .. } => bad_input(error),
        Error::Store(error) => crate::stored::refused(error),
        // Nobody reads what it says: no failure, as everywhere.
        Error::Network(error) if error.kind() == ErrorKind::BrokenPipe => error.into(),
        other => other.into(),
    }
}
