//! What waits for databases and networks.

use anyhow::Context;
use tokio::runtime::{Builder, Runtime};

/// For commands that do one thing after the other.
pub(crate) fn one_thread() -> anyhow::Result<Runtime> {
    Builder::new_current_thread().enable_all().build().context("the program cannot wait for a database here")
}

/// For servers.
pub(crate) fn many_threads() -> anyhow::Result<Runtime> {
    Builder::new_multi_thread().enable_all().build().context("the program cannot wait for a network here")
}
