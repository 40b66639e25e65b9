//! Middleware that every request passes.

mod concurrency;
mod headers;
mod origin;
mod rate_limit;

pub(crate) use concurrency::{ConcurrencyLimits, limit_concurrency};
pub(crate) use headers::secure_headers;
pub(crate) use origin::require_same_origin;
pub(crate) use rate_limit::RateLimiter;
