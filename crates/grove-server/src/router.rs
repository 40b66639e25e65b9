use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{StatusCode, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::IntoResponse;
use axum::routing::get;
use tower_http::timeout::TimeoutLayer;

use crate::app::App;
use crate::fault::Fault;
use crate::guard::{same_origin, seated, secure_headers};
use crate::{api, assets, metrics, pages};

/// The longest body that is read: ten thousand concepts with definitions fit.
const LONGEST_BODY: usize = 2 * 1024 * 1024;
/// The longest that a request may take, streams apart.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// All routes behind all guards.
pub(crate) fn router(app: App) -> Router {
    Router::new()
        .merge(pages::routes(&app))
        .merge(api::routes())
        .route("/static/{version}/{name}", get(assets::asset))
        .route("/healthz", get(healthz))
        .route("/metrics", get(prometheus))
        .layer(DefaultBodyLimit::max(LONGEST_BODY))
        .layer(TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, LONGEST_WAIT))
        .layer(from_fn_with_state(app.clone(), same_origin))
        .layer(from_fn_with_state(app.clone(), seated))
        .layer(from_fn_with_state(app.clone(), metrics::measure))
        .layer(from_fn(secure_headers))
        .with_state(app)
}

/// Whether the database answers.
async fn healthz(State(app): State<App>) -> Result<&'static str, Fault> {
    app.store().owner_named("nobody").await?;
    Ok("ok\n")
}

async fn prometheus(State(app): State<App>) -> impl IntoResponse {
    let (running, lag) = app.campaigns().load().await;
    let gauges = [
        ("grove_campaigns", "Campaigns that run here.", running as f64),
        ("grove_belief_lag", "Votes that are not yet believed.", lag as f64),
    ];
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], app.metrics().text(&gauges))
}
