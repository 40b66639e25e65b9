use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use tower_http::timeout::TimeoutLayer;

use crate::app::App;
use crate::http_error::Result;
use crate::middleware::{limit_concurrency, require_same_origin, secure_headers};
use crate::{api, assets, metrics, pages};

/// The longest request body: ten thousand concepts with definitions fit.
const MAX_BODY: usize = 2 * 1024 * 1024;
/// The longest time until a response begins.
const TIMEOUT: Duration = Duration::from_secs(60);

/// All routes behind all middleware.
pub(crate) fn router(app: App) -> Router {
    Router::new()
        .merge(pages::routes(&app))
        .merge(api::routes())
        .route("/static/{version}/{name}", get(assets::asset))
        .route("/healthz", get(healthz))
        .route("/metrics", get(metrics::show))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, TIMEOUT))
        .layer(from_fn_with_state(app.clone(), require_same_origin))
        .layer(from_fn_with_state(app.clone(), limit_concurrency))
        .layer(from_fn_with_state(app.clone(), metrics::measure))
        .layer(from_fn(secure_headers))
        .with_state(app)
}

/// Whether the database answers.
async fn healthz(State(app): State<App>) -> Result<&'static str> {
    app.store().owner_named("nobody").await?;
    Ok("ok\n")
}
