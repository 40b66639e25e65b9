//! Metrics for Prometheus. Their labels never hold a name, an id or an address.

use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use grove_campaign::Campaign;
use grove_store::Moment;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::app::{App, AppState};
use crate::auth::{bearer, hash_secret};
use crate::http_error::{HttpError, Result};
use crate::middleware::ClientAddress;

/// The upper bounds of the histogram's buckets, in seconds.
const BUCKETS: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0];

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct RequestLabels {
    method: &'static str,
    route: String,
    status: u16,
}

pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Histogram>,
    event_streams: Gauge,
    campaigns: Gauge,
    belief_lag: Gauge,
    belief_age: Gauge<f64, AtomicU64>,
    last_advance: Gauge<f64, AtomicU64>,
    mismatches: Gauge,
    background_errors: Gauge,
    write_errors: Gauge,
    write_queue: Gauge,
    servers: Gauge,
    beliefs: Gauge,
    failed_logins: Counter,
    refused_logins: Counter,
    refused_connections: Counter,
}

impl Default for Metrics {
    fn default() -> Self {
        let metrics = Self {
            registry: Registry::default(),
            requests: Family::new_with_constructor(|| Histogram::new(BUCKETS)),
            event_streams: Gauge::default(),
            campaigns: Gauge::default(),
            belief_lag: Gauge::default(),
            belief_age: Gauge::default(),
            last_advance: Gauge::default(),
            mismatches: Gauge::default(),
            background_errors: Gauge::default(),
            write_errors: Gauge::default(),
            write_queue: Gauge::default(),
            servers: Gauge::default(),
            beliefs: Gauge::default(),
            failed_logins: Counter::default(),
            refused_logins: Counter::default(),
            refused_connections: Counter::default(),
        };
        let mut registry = Registry::with_prefix("grove");
        let duration = "Time to answer HTTP requests, in seconds";
        registry.register("http_request_duration_seconds", duration, metrics.requests.clone());
        registry.register("event_streams", "Open event streams", metrics.event_streams.clone());
        registry.register("campaigns", "Campaigns that run in this process", metrics.campaigns.clone());
        registry.register("belief_lag", "Votes not yet in the belief", metrics.belief_lag.clone());
        let age = "Age of the oldest published belief that has votes to take in, in seconds";
        registry.register("belief_age_seconds", age, metrics.belief_age.clone());
        let advance = "When a belief last moved in this process, in seconds since 1970; 0 if none has";
        registry.register("last_advance_timestamp_seconds", advance, metrics.last_advance.clone());
        let errors = "Errors of background work since the start, of the campaigns that run";
        registry.register("background_errors", errors, metrics.background_errors.clone());
        let errors = "Transactions that failed since the start; what was in them was not acknowledged";
        registry.register("write_errors", errors, metrics.write_errors.clone());
        registry.register("write_queue", "Writes that wait", metrics.write_queue.clone());
        registry.register("servers", "Servers that share the database", metrics.servers.clone());
        registry.register("beliefs", "Beliefs that this process moves", metrics.beliefs.clone());
        let mismatches = "Campaigns whose recorded belief could not be reproduced from the log";
        registry.register("belief_mismatches", mismatches, metrics.mismatches.clone());
        registry.register("failed_logins", "Logins with a wrong password", metrics.failed_logins.clone());
        let refused = "Logins refused after too many wrong passwords";
        registry.register("refused_logins", refused, metrics.refused_logins.clone());
        let refused = "Connections closed at once, because there were too many";
        registry.register("refused_connections", refused, metrics.refused_connections.clone());
        Self { registry, ..metrics }
    }
}

impl Metrics {
    fn observe(&self, method: &'static str, route: String, status: u16, took: Duration) {
        self.requests.get_or_create(&RequestLabels { method, route, status }).observe(took.as_secs_f64());
    }

    pub(crate) fn count_failed_login(&self) {
        self.failed_logins.inc();
    }

    pub(crate) fn count_refused_login(&self) {
        self.refused_logins.inc();
    }

    pub(crate) fn count_refused_connection(&self) {
        self.refused_connections.inc();
    }

    /// Counts an open event stream until the returned value is dropped.
    pub(crate) fn event_stream(&self) -> OpenStream {
        self.event_streams.inc();
        OpenStream(self.event_streams.clone())
    }

    fn look_at(&self, running: &[Campaign], now: Moment) {
        let seconds = |micros: i64| micros as f64 / 1e6;
        let waiting = running.iter().filter(|campaign| campaign.lag() > 0);
        let oldest = waiting.map(|campaign| now.0 - campaign.snapshot().at.0).max();
        self.belief_age.set(seconds(oldest.unwrap_or(0).max(0)));
        let last = running.iter().filter_map(|campaign| campaign.health().advanced).max();
        self.last_advance.set(last.map_or(0.0, |Moment(last)| seconds(last)));
        let errors: u64 = running.iter().map(|campaign| campaign.health().failures).sum();
        self.background_errors.set(i64::try_from(errors).unwrap_or(i64::MAX));
        let beliefs = running.iter().filter(|campaign| campaign.snapshot().runs_here).count();
        self.beliefs.set(beliefs as i64);
    }

    fn text(&self) -> Result<String> {
        let mut text = String::new();
        encode(&mut text, &self.registry).map_err(|_| HttpError::Internal)?;
        Ok(text)
    }
}

/// An open event stream.
pub(crate) struct OpenStream(Gauge);

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Whether somebody may read the metrics: with the token, if there is one, and otherwise from this machine. Requests that a proxy
/// on this machine forwards do not count as local.
fn may_read(app: &AppState, address: ClientAddress, headers: &HeaderMap) -> bool {
    match app.metrics_token {
        Some(token) => bearer(headers).is_some_and(|sent| hash_secret(sent) == token),
        None => {
            let is_forwarded = ["x-forwarded-for", "x-forwarded-host", "forwarded", "via"]
                .iter()
                .any(|name| headers.contains_key(*name));
            address.0.is_loopback() && !is_forwarded
        }
    }
}

/// All metrics in the OpenMetrics text format.
pub(crate) async fn show(
    State(app): State<App>,
    address: ClientAddress,
    headers: HeaderMap,
) -> Result<impl IntoResponse> {
    if !may_read(&app, address, &headers) {
        return Err(HttpError::Forbidden(
            "metrics are for this machine itself; from elsewhere send the server's --metrics-token as a bearer token"
                .to_owned(),
        ));
    }
    let running = app.workspace.running().await;
    app.metrics.campaigns.set(running.len() as i64);
    app.metrics.belief_lag.set(running.iter().map(|campaign| campaign.lag() as i64).sum());
    let mismatches = running.iter().filter(|campaign| campaign.snapshot().astray.is_some()).count();
    app.metrics.mismatches.set(mismatches as i64);
    app.metrics.look_at(&running, app.now());
    let health = app.store().health();
    app.metrics.write_queue.set(health.queued as i64);
    app.metrics.write_errors.set(i64::try_from(health.failed).unwrap_or(i64::MAX));
    app.metrics.servers.set(app.workspace.peers().map_or(1, |peers| peers.count() as i64));
    let content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, content_type)], app.metrics.text()?))
}

/// Measures every request under its route, not its path, which may hold an invitation.
pub(crate) async fn measure(State(app): State<App>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    // Clients may send any method; labels must stay few.
    let known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    let method = known.into_iter().find(|method| *method == request.method().as_str()).unwrap_or("other");
    let start = Instant::now();
    let response = next.run(request).await;
    app.metrics.observe(method, route, response.status().as_u16(), start.elapsed());
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_cumulative() {
        let metrics = Metrics::default();
        metrics.observe("GET", "/".into(), 200, Duration::from_millis(2));
        metrics.observe("GET", "/".into(), 200, Duration::from_secs(9));
        metrics.belief_lag.set(3);
        let text = metrics.text().unwrap();
        let labels = "method=\"GET\",route=\"/\",status=\"200\"";
        let name = "grove_http_request_duration_seconds";
        assert!(text.contains("\ngrove_belief_lag 3\n"), "{text}");
        for (bound, count) in [("0.001", 0), ("0.0025", 1), ("5.0", 1), ("+Inf", 2)] {
            let line = format!("{name}_bucket{{le=\"{bound}\",{labels}}} {count}\n");
            assert!(text.contains(&line), "{line}{text}");
        }
        assert!(text.contains(&format!("{name}_count{{{labels}}} 2\n")));
    }
}
