//! The HTTP server of Grove: an API, the page on which workers answer, and the dashboard on which an owner watches a hierarchy grow.
//!
//! ```no_run
//! # async fn example() -> Result<(), grove_server::Error> {
//! use grove_server::{Config, serve};
//! serve(Config { database: "food.db".to_owned(), ..Config::default() }).await
//! # }
//! ```
//!
//! # Authentication
//! Owners log in with a password or send an API token. They see their own campaigns only; for anybody else's the server returns 404, as
//! if there were none. Workers come by invitation links. There is no registration: the first owner follows a link that is printed at the
//! first start, and others are added on the command line. Secrets are stored as hashes.
//!
//! # Protection
//! A request that changes something must come from one of the server's own pages or carry a token. The content security policy allows
//! the server's own scripts and styles only. Templates escape all text. Connections, slow clients, wrong passwords, votes and the length of requests are
//! limited, by the address of the client and never by what it sends; SECURITY.md of the repository lists the limits.
//!
//! # Pages
//! Pages are rendered on the server and work without JavaScript. Small modules keep them up to date by fetching the same page again and
//! replacing the parts that changed. Nothing is loaded from another host.

mod api;
mod app;
mod assets;
mod auth;
mod changes;
mod comparison;
mod config;
mod connections;
mod convert;
mod error;
mod extract;
mod http_error;
mod metrics;
mod middleware;
mod owners;
mod pages;
mod recruiting;
mod repeated;
mod router;
mod serve;
mod time;
mod workers;

pub use api::openapi;
pub use auth::hash_password;
pub use config::Config;
pub use error::Error;
pub use ipnet::IpNet;
pub use owners::{add_owner, invite};
pub use serve::{Server, serve, shutdown_signal};

use router::router;

/// Keeps the README's example true.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests;
