//! `grove health`: checks whether a server on this machine is alive and ready.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::Context as _;

use crate::context::Context;
use crate::error::bad_input;

/// Ask a server whether it is alive and ready, for health checks without another program such as curl.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove health
  grove health --server 127.0.0.1:9000

It fails if the server does not answer, cannot reach its database, or is still starting its campaigns.")]
pub(crate) struct Health {
    /// The address on which the server listens.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8077")]
    server: SocketAddr,
}

/// How long to wait for an answer.
const PATIENCE: Duration = Duration::from_secs(4);

impl Health {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        for path in ["/healthz", "/readyz"] {
            let answer = ask(self.server, path).with_context(|| {
                format!("{} does not respond; check that the server is running", self.server)
            })?;
            let status = answer.split(' ').nth(1).unwrap_or_default();
            if status != "200" {
                let reason = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body.trim());
                return Err(bad_input(format!("{path} returned {status}: {reason}")));
            }
        }
        context.remark("alive and ready")
    }
}

/// The whole answer to one request.
fn ask(server: SocketAddr, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&server, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {server}\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.take(64 * 1024).read_to_string(&mut answer)?;
    Ok(answer)
}
