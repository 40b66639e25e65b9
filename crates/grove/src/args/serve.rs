use std::net::SocketAddr;

/// Serves campaigns to browsers: a dashboard for owners, a page with questions for workers, an HTTP API for programs.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove serve                                  on this machine alone, with grove.db of this folder
  grove serve --database postgres://grove@db/grove --public-url https://grove.example.org

At the first start it prints a link by which the first owner makes an account; `grove user add`
makes one too. The API describes itself at /api/v1/openapi.json. For others than this machine, let a
server that speaks HTTPS pass requests on, and say its address with --public-url. Ctrl-C ends it;
nothing that was acknowledged is lost, however it ends.")]
pub(crate) struct Serve {
    /// Where to listen.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8077")]
    pub(crate) listen: SocketAddr,
    /// How browsers reach it, if not where it listens: https:// and a host.
    #[arg(long, value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// The most votes of one worker in a quarter of an hour.
    #[arg(long, value_name = "VOTES", default_value_t = 900, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rate_limit: u32,
}
