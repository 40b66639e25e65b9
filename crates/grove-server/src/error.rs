use std::net::SocketAddr;

/// Why a server does not start or had to stop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The configured public URL is not an origin that browsers could use.
    #[error("{0:?} is not a public URL: give http:// or https:// and a host, without a path")]
    BadPublicUrl(String),
    /// The port is in use, or the process may not open it.
    #[error("cannot listen on {address} ({reason}); choose another address")]
    CannotListen {
        /// The address from the configuration.
        address: SocketAddr,
        /// The error of the operating system.
        reason: std::io::Error,
    },
    /// A password that is too short or too long.
    #[error("{0}; choose another")]
    BadPassword(String),
    /// Accepting connections failed.
    #[error("the server had to stop: {0}")]
    Network(#[from] std::io::Error),
    /// A database error.
    #[error(transparent)]
    Store(#[from] grove_store::Error),
    /// A campaign cannot be run.
    #[error(transparent)]
    Campaign(#[from] grove_campaign::Error),
    /// The operating system provides no random numbers.
    #[error("the system provides no random numbers: {0}")]
    NoRandomness(#[from] getrandom::Error),
}
