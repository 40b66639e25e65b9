//! What every request passes before it is answered.

mod headers;
mod origin;
mod rates;
mod seats;

pub(crate) use headers::secure_headers;
pub(crate) use origin::same_origin;
pub(crate) use rates::{Rate, Rates};
pub(crate) use seats::{Seats, seated};
