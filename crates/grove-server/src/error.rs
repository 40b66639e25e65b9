use std::net::SocketAddr;

/// Why a server does not start, or had to end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An address that browsers could not use.
    #[error("{0:?} is no public address: give http:// or https:// with a host, and nothing behind it")]
    BadPublicUrl(String),
    /// The port is taken, or not ours to take.
    #[error("cannot listen on {address} ({reason}); choose another address")]
    CannotListen {
        /// Where.
        address: SocketAddr,
        /// What the system says.
        reason: std::io::Error,
    },
    /// A password that cannot be taken.
    #[error("{0}; choose another")]
    BadPassword(String),
    /// The network failed.
    #[error("the server had to end: {0}")]
    Network(#[from] std::io::Error),
    /// The database does not do what it should.
    #[error(transparent)]
    Store(#[from] grove_store::Error),
    /// A campaign cannot be run.
    #[error(transparent)]
    Campaign(#[from] grove_campaign::Error),
    /// The system has no random numbers to give.
    #[error("the system gives no random numbers: {0}")]
    NoRandomness(#[from] getrandom::Error),
}
