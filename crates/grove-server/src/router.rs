use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use tower_http::timeout::TimeoutLayer;

use crate::app::App;
use crate::http_error::{HttpError, Result};
use crate::middleware::{
    compression, find_client, limit_body_rate, limit_concurrency, require_same_origin, secure_headers,
};
use crate::{api, assets, metrics, pages};

/// The longest request body: ten thousand concepts with definitions fit.
const MAX_BODY: usize = 2 * 1024 * 1024;
/// The longest time until a response begins.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The longest time in which a healthy database responds.
const DATABASE: Duration = Duration::from_secs(2);

/// All routes behind all middleware.
pub(crate) fn router(app: App) -> Router {
    Router::new()
        .merge(pages::routes(&app))
        .merge(api::routes())
        .route("/static/{version}/{name}", get(assets::asset))
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics::show))
        .layer(compression())
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, TIMEOUT))
        .layer(from_fn(limit_body_rate))
        .layer(from_fn_with_state(app.clone(), require_same_origin))
        .layer(from_fn_with_state(app.clone(), limit_concurrency))
        .layer(from_fn_with_state(app.clone(), find_client))
        .layer(from_fn_with_state(app.clone(), metrics::measure))
        .layer(from_fn_with_state(app.clone(), secure_headers))
        .with_state(app)
}

/// Whether the process answers.
async fn healthz() -> &'static str {
    "ok\n"
}

/// Whether the server can do its work: the database answers and is of its version, all campaigns have started, and their beliefs are back.
async fn readyz(State(app): State<App>) -> Result<&'static str> {
    let database = tokio::time::timeout(DATABASE, app.store().check()).await;
    database.map_err(|_| {
        HttpError::Unavailable("the database does not respond; check that it is running".to_owned())
    })??;
    if !app.has_started.load(Ordering::Relaxed) {
        return Err(HttpError::Unavailable("campaigns are starting; try again in a moment".to_owned()));
    }
    let running = app.workspace.running().await;
    let restoring = running.iter().filter(|campaign| campaign.snapshot().is_being_restored()).count();
    if restoring > 0 {
        return Err(HttpError::Unavailable(format!(
            "the beliefs of {restoring} campaigns are being restored; try again in a moment"
        )));
    }
    Ok("ready\n")
}
