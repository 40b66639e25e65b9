use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Why a request is not granted. What the machinery says about itself goes to the log, never to a client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// Nobody knows who asks.
    Unauthorized,
    /// They are known, and may not.
    Forbidden(&'static str),
    /// It is not there, or belongs to somebody else: nobody can tell which.
    NotFound,
    /// It makes no sense as it stands.
    Bad(String),
    /// It made sense, but not any more.
    Conflict(String),
    /// Too long.
    TooLarge,
    /// Not in a form that is read here.
    UnsupportedMediaType,
    /// Too often.
    TooMany {
        /// Seconds until it makes sense to try again.
        retry_after: u64,
    },
    /// Not at present.
    Unavailable(String),
    /// The disk is full.
    NoRoom,
    /// Our mistake.
    Internal,
}

/// What a refused request is told.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub(crate) struct Refusal {
    /// A word for programs.
    #[schema(example = "not_found")]
    pub(crate) error: String,
    /// A sentence for people.
    pub(crate) message: String,
}

impl Fault {
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::Forbidden(_) => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Bad(_) => StatusCode::BAD_REQUEST,
            Self::Conflict(_) => StatusCode::CONFLICT,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooMany { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::NoRoom => StatusCode::INSUFFICIENT_STORAGE,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn word(&self) -> &'static str {
        match self {
            Self::Unauthorized => "unauthorized",
            Self::Forbidden(_) => "forbidden",
            Self::NotFound => "not_found",
            Self::Bad(_) => "bad_request",
            Self::Conflict(_) => "conflict",
            Self::TooLarge => "too_large",
            Self::UnsupportedMediaType => "unsupported_media_type",
            Self::TooMany { .. } => "too_many_requests",
            Self::Unavailable(_) => "unavailable",
            Self::NoRoom => "no_room",
            Self::Internal => "internal",
        }
    }

    /// A sentence for people.
    pub(crate) fn message(&self) -> String {
        match self {
            Self::Unauthorized => "say who you are: log in, or send a token; as a worker send an invitation, and as Grove-Worker 16 to 200 characters of your own making".to_owned(),
            Self::Forbidden(why) => (*why).to_owned(),
            Self::NotFound => "there is nothing of this name that you could see".to_owned(),
            Self::Bad(why) | Self::Conflict(why) | Self::Unavailable(why) => why.clone(),
            Self::TooLarge => "this is too large".to_owned(),
            Self::UnsupportedMediaType => "send application/json".to_owned(),
            Self::TooMany { retry_after } => format!("too often; try again in {retry_after} seconds"),
            Self::NoRoom => "the server's disk is full; nothing was kept".to_owned(),
            Self::Internal => "something went wrong here; it has been noted".to_owned(),
        }
    }

    /// Seconds until it makes sense to try again.
    fn retry_after(&self) -> Option<u64> {
        match self {
            Self::TooMany { retry_after } => Some(*retry_after),
            Self::Unavailable(_) | Self::NoRoom => Some(5),
            _ => None,
        }
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let refusal = Refusal { error: self.word().to_owned(), message: self.message() };
        let mut response = (self.status(), Json(refusal)).into_response();
        if let Some(seconds) = self.retry_after() {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self == Self::Unauthorized {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        // The pages' router turns it into a page.
        response.extensions_mut().insert(self);
        response
    }
}

impl From<grove_store::Error> for Fault {
    fn from(error: grove_store::Error) -> Self {
        use grove_store::Error as E;
        match &error {
            E::UnknownCampaign(_) | E::Unknown(_) => Self::NotFound,
            E::NameTaken(_) | E::Conflict | E::AlreadyAnswered { .. } | E::WrongConceptNumber { .. } => {
                Self::Conflict(error.to_string())
            }
            E::StillNeeded(_) => Self::Conflict(error.to_string()),
            E::BadWorker | E::BadName | E::BadConcept(_) => Self::Bad(error.to_string()),
            E::DiskFull => Self::NoRoom,
            E::Busy | E::ReadOnly | E::Unreachable(_) | E::Closed | E::NotTheHolder => {
                tracing::warn!(%error, "the database is not at hand");
                Self::Unavailable("the database is not at hand just now; try again in a moment".to_owned())
            }
            _ => {
                tracing::error!(%error, "the store refuses");
                Self::Internal
            }
        }
    }
}

impl From<getrandom::Error> for Fault {
    fn from(error: getrandom::Error) -> Self {
        tracing::error!(%error, "no randomness");
        Self::Internal
    }
}

impl From<grove_formats::Error> for Fault {
    fn from(error: grove_formats::Error) -> Self {
        Self::Bad(error.to_string())
    }
}

impl From<grove_campaign::Error> for Fault {
    fn from(error: grove_campaign::Error) -> Self {
        use grove_campaign::Error as E;
        match error {
            E::Store(error) => error.into(),
            E::UnknownCampaign(_) | E::NoSuchConcept(_) => Self::NotFound,
            E::NameTaken(_) | E::Clash(_) | E::NothingToUndo | E::NotAsking(_) => {
                Self::Conflict(error.to_string())
            }
            E::Busy => Self::Unavailable(error.to_string()),
            E::Gone => {
                tracing::error!(%error, "a campaign stopped");
                Self::Unavailable("the campaign is being started again; try again in a moment".to_owned())
            }
            other => Self::Bad(other.to_string()),
        }
    }
}
