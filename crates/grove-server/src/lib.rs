//! Where people meet Grove: an HTTP API, the page on which workers answer, and the dashboard on which an owner watches a hierarchy grow.
//!
//! ```no_run
//! # async fn example() -> Result<(), grove_server::Error> {
//! use grove_server::{Config, serve};
//! serve(Config { database: "food.db".to_owned(), ..Config::default() }).await
//! # }
//! ```
//!
//! # Who may do what
//! Owners log in with a password, or send an API token; they see their own campaigns and nothing of others': another's campaign
//! answers as one that never was. Workers come by invitation links. Nobody can register: the first owner follows a link that is
//! printed at the first start, others are added at the command line. Secrets are kept as hashes.
//!
//! # What every request passes
//! Requests that change something must come from our own pages, or carry a token. Responses allow browsers only our own scripts and styles.
//! Bodies are limited to 2 MB, passwords and votes by rates, requests under way by caller. Texts that people wrote are escaped by the templates, which cannot forget it.
//!
//! # Pages
//! Everything is rendered here and works without JavaScript; small modules then make the pages live by fetching the same pages again and putting
//! their parts in place. Nothing is loaded from any other host.

mod api;
mod app;
mod assets;
mod auth;
mod campaigns;
mod config;
mod error;
mod fault;
mod guard;
mod metrics;
mod owners;
mod pages;
mod read;
mod replay;
mod router;
mod serve;
mod time;

pub use api::openapi;
pub use auth::hash_password;
pub use config::Config;
pub use error::Error;
pub use owners::add_owner;
pub use serve::{Server, serve, told_to_end};

use router::router;

/// Keeps the README's example true.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests;
