//! Middleware that every request passes.

mod body_rate;
mod client_address;
mod compression;
mod concurrency;
mod headers;
mod origin;
mod rate_limit;

pub(crate) use body_rate::limit_body_rate;
pub(crate) use client_address::{ClientAddress, TrustedProxies, find_client};
pub(crate) use compression::{ShowsSecret, compression};
pub(crate) use concurrency::{ConcurrencyLimits, Permit, limit_concurrency};
pub(crate) use headers::secure_headers;
pub(crate) use origin::require_same_origin;
pub(crate) use rate_limit::RateLimiter;
