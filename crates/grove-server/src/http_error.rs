use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::Json;
use crate::repeated::Repeated;

/// The result of handling a request.
pub(crate) type Result<T, E = HttpError> = std::result::Result<T, E>;

/// Why a request fails. Details of internal errors go to the log, never to a client.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum HttpError {
    /// No valid credential.
    #[error(
        "authentication required: log in or send an API token; a worker sends an invitation as a bearer token \
         and a Grove-Worker header of 16 to 200 characters"
    )]
    Unauthorized,
    /// A valid credential, but the request is not allowed.
    #[error("{0}")]
    Forbidden(String),
    /// It does not exist or belongs to somebody else; the response does not tell which.
    #[error("not found, or you do not have access")]
    NotFound,
    /// The request is malformed or invalid.
    #[error("{0}")]
    BadRequest(String),
    /// The request contradicts the present state.
    #[error("{0}")]
    Conflict(String),
    /// A vote on a question that its worker was not asked, or too long ago.
    #[error("{0}")]
    BadTicket(String),
    /// The campaign has all the answers that its budget has room for, or the link.
    #[error("{0}")]
    Full(String),
    /// The body is too long.
    #[error("the request body is too large; send at most 2 MB")]
    TooLarge,
    /// The body has another media type than JSON.
    #[error("unsupported media type; send application/json")]
    UnsupportedMediaType,
    /// The body arrives too slowly.
    #[error("the request took too long to arrive; send it again")]
    TooSlow,
    /// A rate or concurrency limit is exceeded.
    #[error("too many requests; try again in {retry_after} seconds")]
    TooManyRequests {
        /// Seconds to wait before trying again.
        retry_after: u64,
    },
    /// The server cannot answer for the moment.
    #[error("{0}")]
    Unavailable(String),
    /// The server's disk is full.
    #[error("the server's disk is full; nothing was saved")]
    DiskFull,
    /// A bug or a broken database.
    #[error("internal error; the server's log has the details")]
    Internal,
}

static DISK_FULL: Repeated = Repeated::new();
static UNAVAILABLE: Repeated = Repeated::new();
static UPGRADED: Repeated = Repeated::new();
static DATABASE: Repeated = Repeated::new();

/// The body of every error response.
#[derive(Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct ErrorBody {
    /// A word for programs, which never changes for the same kind of error.
    #[schema(example = "not_found")]
    pub(crate) error: &'static str,
    /// A sentence for people, which says what to do.
    #[schema(example = "not found, or you do not have access")]
    pub(crate) message: String,
}

impl HttpError {
    /// The status, and the word for programs.
    fn kind(&self) -> (StatusCode, &'static str) {
        match self {
            Self::Unauthorized => (StatusCode::UNAUTHORIZED, "unauthorized"),
            Self::Forbidden(_) => (StatusCode::FORBIDDEN, "forbidden"),
            Self::NotFound => (StatusCode::NOT_FOUND, "not_found"),
            Self::BadRequest(_) => (StatusCode::BAD_REQUEST, "bad_request"),
            Self::Conflict(_) => (StatusCode::CONFLICT, "conflict"),
            Self::BadTicket(_) => (StatusCode::FORBIDDEN, "bad_ticket"),
            Self::Full(_) => (StatusCode::CONFLICT, "full"),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "too_large"),
            Self::UnsupportedMediaType => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type"),
            Self::TooSlow => (StatusCode::REQUEST_TIMEOUT, "too_slow"),
            Self::TooManyRequests { .. } => (StatusCode::TOO_MANY_REQUESTS, "too_many_requests"),
            Self::Unavailable(_) => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
            Self::DiskFull => (StatusCode::INSUFFICIENT_STORAGE, "no_room"),
            Self::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
        }
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.kind().0
    }
}

impl IntoResponse for HttpError {
    fn into_response(self) -> Response {
        let (status, error) = self.kind();
        let body = ErrorBody { error, message: self.to_string() };
        let mut response = (status, Json(body)).into_response();
        let retry_after = match self {
            Self::TooManyRequests { retry_after } => Some(retry_after),
            Self::Unavailable(_) | Self::DiskFull => Some(5),
            _ => None,
        };
        if let Some(seconds) = retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self == Self::Unauthorized {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        // For the middleware that renders errors as pages.
        response.extensions_mut().insert(self);
        response
    }
}

impl From<grove_store::Error> for HttpError {
    fn from(error: grove_store::Error) -> Self {
        use grove_store::Error as E;
        match &error {
            E::UnknownCampaign(_) | E::Unknown(_) => Self::NotFound,
            E::NameTaken(_)
            | E::Conflict
            | E::AlreadyAnswered { .. }
            | E::WrongConceptNumber { .. }
            | E::Changed
            | E::StillNeeded(_) => Self::Conflict(error.to_string()),
            E::Full | E::LinkFull => Self::Full(error.to_string()),
            E::BadWorker | E::BadName | E::BadConcept(_) => Self::BadRequest(error.to_string()),
            E::DiskFull => {
                if let Some(times) = DISK_FULL.count() {
                    tracing::error!(%error, times, "nothing can be saved");
                }
                Self::DiskFull
            }
            E::Busy | E::ReadOnly | E::Unreachable(_) | E::Closed | E::NotTheHolder => {
                if let Some(times) = UNAVAILABLE.count() {
                    tracing::warn!(%error, times, "database unavailable");
                }
                Self::Unavailable("the database is unavailable; try again in a moment".to_owned())
            }
            // A newer program has taken over the database; soon it should answer in place of this one.
            E::NewerSchema { .. } => {
                if let Some(times) = UPGRADED.count() {
                    tracing::error!(%error, times, "the database was upgraded");
                }
                Self::Unavailable("the server is being upgraded; try again in a moment".to_owned())
            }
            _ => {
                if let Some(times) = DATABASE.count() {
                    tracing::error!(%error, times, "database error");
                }
                Self::Internal
            }
        }
    }
}

impl From<getrandom::Error> for HttpError {
    fn from(error: getrandom::Error) -> Self {
        tracing::error!(%error, "no random numbers");
        Self::Internal
    }
}

impl From<grove_formats::Error> for HttpError {
    fn from(error: grove_formats::Error) -> Self {
        Self::BadRequest(error.to_string())
    }
}

impl From<grove_campaign::Error> for HttpError {
    fn from(error: grove_campaign::Error) -> Self {
        use grove_campaign::Error as E;
        match error {
            E::Store(error) => error.into(),
            E::NoSuchConcept(_) => Self::NotFound,
            E::Forbidden { .. } | E::Excluded => Self::Forbidden(error.to_string()),
            E::NameTaken(_) | E::Clash(_) | E::NothingToUndo | E::NoSuchCorrection | E::NotAsking(_) => {
                Self::Conflict(error.to_string())
            }
            E::BadTicket(_) => Self::BadTicket(error.to_string()),
            E::Crowd(error) if error.is_uncertain() => Self::Unavailable(error.to_string()),
            E::Crowd(error @ grove_crowd::Error::OverBudget(_)) => Self::Conflict(error.to_string()),
            E::Busy | E::Rebuilding => Self::Unavailable(error.to_string()),
            E::Gone => {
                tracing::error!(%error, "a campaign stopped");
                Self::Unavailable("the campaign is restarting; try again in a moment".to_owned())
            }
            other => Self::BadRequest(other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_that_was_upgraded_is_unavailable() {
        let error = grove_store::Error::NewerSchema { found: 2, known: 1 };
        for error in [HttpError::from(error.clone()), grove_campaign::Error::from(error).into()] {
            let response = error.into_response();
            assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
            assert_eq!(response.headers()[header::RETRY_AFTER], "5");
        }
    }
}
