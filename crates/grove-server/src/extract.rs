//! Extractors whose rejections are [`HttpError`]s, so that every malformed request gets the same kind of answer.

use axum::extract::rejection::{FormRejection, JsonRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, RawPathParams};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::http_error::{HttpError, Result};

/// A JSON request or response body.
#[derive(FromRequest)]
#[from_request(via(axum::Json), rejection(HttpError))]
pub(crate) struct Json<T>(pub(crate) T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        axum::Json(self.0).into_response()
    }
}

/// A form as browsers send it.
#[derive(FromRequest)]
#[from_request(via(axum::Form), rejection(HttpError))]
pub(crate) struct Form<T>(pub(crate) T);

/// The query string.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(HttpError))]
pub(crate) struct QueryParams<T>(pub(crate) T);

/// The last parameter of the path. One that cannot be parsed names nothing, so it is not found.
pub(crate) struct LastParam<T>(pub(crate) T);

impl<T: std::str::FromStr, S: Send + Sync> FromRequestParts<S> for LastParam<T> {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let params =
            RawPathParams::from_request_parts(parts, state).await.map_err(|_| HttpError::NotFound)?;
        let last = params.iter().last().and_then(|(_, value)| value.parse().ok());
        last.map(Self).ok_or(HttpError::NotFound)
    }
}

macro_rules! rejections {
    ($($rejection:ty),*) => {$(
        impl From<$rejection> for HttpError {
            fn from(rejection: $rejection) -> Self {
                match rejection.status() {
                    StatusCode::PAYLOAD_TOO_LARGE => Self::TooLarge,
                    StatusCode::UNSUPPORTED_MEDIA_TYPE => Self::UnsupportedMediaType,
                    _ => Self::BadRequest(rejection.body_text()),
                }
            }
        }
    )*};
}

rejections!(FormRejection, JsonRejection, QueryRejection);
