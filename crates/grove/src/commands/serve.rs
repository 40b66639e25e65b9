//! `grove serve`: campaigns for browsers and programs.

use std::io::IsTerminal;
use std::net::SocketAddr;

use grove_server::{Config, serve};

use crate::context::Context;

/// Serve campaigns over HTTP: a dashboard for owners, a page with questions for workers, and an API for programs.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove serve                                  for this machine only, with grove.db in this folder
  grove serve --database postgres://grove@db/grove --public-url https://grove.example.org

On its first start it prints a link by which the first owner creates an account; `grove user add` creates
one too. The API describes itself at /api/v1/openapi.json. To serve other machines, put a reverse proxy
with HTTPS in front of it and give its address with --public-url. Ctrl-C stops the server; no acknowledged
vote is lost, however it ends.")]
pub(crate) struct Serve {
    /// The address to listen on.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8077")]
    listen: SocketAddr,
    /// The address that browsers use, if not the one it listens on: https:// and a host.
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// The most votes that one worker may give in 15 minutes.
    #[arg(long, value_name = "VOTES", default_value_t = 900, value_parser = clap::value_parser!(u32).range(1..))]
    rate_limit: u32,
}

impl Serve {
    /// Serves until the process is told to stop.
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let level = if context.quiet() { tracing::Level::WARN } else { tracing::Level::INFO };
        let log = tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr);
        log.with_ansi(std::io::stderr().is_terminal()).init();
        // The belief is computed on these threads and gives way to requests.
        rayon::ThreadPoolBuilder::new().start_handler(|_| grove_campaign::give_way()).build_global()?;
        let config = Config {
            listen: self.listen,
            database: context.database(),
            public_url: self.public_url.clone(),
            votes_per_quarter_hour: self.rate_limit,
        };
        Ok(serve(config).await?)
    }
}
