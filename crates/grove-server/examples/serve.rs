//! Serves a database at an address: `cargo run -p grove-server --example serve -- [database] [listen]`.

use grove_server::{Config, Error, serve};

#[tokio::main]
async fn main() -> Result<(), Error> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let mut config = Config::default();
    let mut arguments = std::env::args().skip(1);
    if let Some(database) = arguments.next() {
        config.database = database;
    }
    if let Some(listen) = arguments.next().and_then(|text| text.parse().ok()) {
        config.listen = listen;
    }
    serve(config).await
}
