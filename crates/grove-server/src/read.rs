//! Reading requests. Whatever cannot be read is refused in the same words everywhere.

use axum::Json;
use axum::extract::rejection::{BytesRejection, FormRejection, JsonRejection};
use axum::extract::{FromRequest, FromRequestParts, Query, RawPathParams, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::fault::Fault;

/// A JSON body.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, state: &S) -> Result<Self, Fault> {
        let Json(body) = Json::from_request(request, state).await?;
        Ok(Self(body))
    }
}

/// A form, as browsers send it.
pub(crate) struct Form<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Form<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, state: &S) -> Result<Self, Fault> {
        let axum::Form(form) = axum::Form::from_request(request, state).await?;
        Ok(Self(form))
    }
}

/// What stands behind the question mark.
pub(crate) struct Asks<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Asks<T> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Fault> {
        let Query(query) = Query::try_from_uri(&parts.uri).map_err(|error| Fault::Bad(error.body_text()))?;
        Ok(Self(query))
    }
}

/// The last parameter of the path. What cannot be one is as unknown as one that is not there.
pub(crate) struct Last<T>(pub(crate) T);

impl<T: std::str::FromStr, S: Send + Sync> FromRequestParts<S> for Last<T> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Fault> {
        let params = RawPathParams::from_request_parts(parts, state).await.map_err(|_| Fault::NotFound)?;
        let last = params.iter().last().and_then(|(_, value)| value.parse().ok());
        last.map(Self).ok_or(Fault::NotFound)
    }
}

fn refuse(status: StatusCode, text: String) -> Fault {
    match status {
        StatusCode::PAYLOAD_TOO_LARGE => Fault::TooLarge,
        StatusCode::UNSUPPORTED_MEDIA_TYPE => Fault::UnsupportedMediaType,
        _ => Fault::Bad(text),
    }
}

impl From<JsonRejection> for Fault {
    fn from(rejection: JsonRejection) -> Self {
        refuse(rejection.status(), rejection.body_text())
    }
}

impl From<FormRejection> for Fault {
    fn from(rejection: FormRejection) -> Self {
        refuse(rejection.status(), rejection.body_text())
    }
}

impl From<BytesRejection> for Fault {
    fn from(rejection: BytesRejection) -> Self {
        refuse(rejection.status(), rejection.body_text())
    }
}
