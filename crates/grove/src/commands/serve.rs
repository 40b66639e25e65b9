//! `grove serve`: campaigns for browsers and programs.

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::PathBuf;

use grove_crowd::Crowds;
use grove_server::{Config, IpNet, serve};

use crate::context::Context;

/// Serve campaigns over HTTP: a dashboard for owners, a page with questions for workers, and an API for programs.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove serve                                  for this machine only, with grove.db in this folder
  grove serve --database postgres://grove@db/grove --public-url https://grove.example.org \
      --trusted-proxy 127.0.0.1

On its first start it prints a link by which the first owner creates an account; `grove user add` creates
one too. The API describes itself at /api/v1/openapi.json. To serve other machines, put a reverse proxy
with HTTPS in front of it, give the public address with --public-url, and the proxy's with --trusted-proxy. Ctrl-C stops the server; no acknowledged
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
    /// The most connections, and requests under way, that one address may have at the same time.
    #[arg(long, value_name = "REQUESTS", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..))]
    address_limit: u32,
    /// The token with which other machines may read /metrics, as `Authorization: Bearer`; without it, this machine alone may. Better given as
    /// the environment variable GROVE_METRICS_TOKEN, which other users of this machine do not see.
    #[arg(long, value_name = "TOKEN")]
    metrics_token: Option<String>,
    /// A reverse proxy, by its address or network, whose X-Forwarded-For header is trusted;
    /// repeat it for several.
    #[arg(long = "trusted-proxy", value_name = "ADDRESS", value_parser = Config::parse_proxy)]
    trusted_proxies: Vec<IpNet>,
    /// A TOML file with the panels and language models that owners may use, by name, and who may use them. Tokens stay out of it: it names the
    /// environment variables or files that hold them.
    #[arg(long, value_name = "FILE")]
    crowds: Option<PathBuf>,
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
            requests_per_address: self.address_limit,
            metrics_token: self.metrics_token.clone().or_else(|| std::env::var("GROVE_METRICS_TOKEN").ok()),
            trusted_proxies: self.trusted_proxies.clone(),
            crowds: self.crowds.as_deref().map_or_else(|| Ok(Crowds::default()), Crowds::read)?,
        };
        Ok(serve(config).await?)
    }
}
