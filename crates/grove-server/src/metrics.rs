//! Counts for Prometheus, in its text format. No name, id or address is ever part of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;

use crate::app::App;

/// The upper ends of the histogram's cells, in seconds.
const CELLS: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0];

#[derive(Clone, Default, Debug)]
struct Times {
    cells: [u64; CELLS.len()],
    count: u64,
    sum: f64,
}

/// Which requests came, how they ended and how long they took.
#[derive(Default, Debug)]
pub(crate) struct Metrics {
    /// By method, route and status.
    requests: Mutex<BTreeMap<(String, String, u16), Times>>,
    streams: AtomicI64,
}

impl Metrics {
    fn note(&self, method: String, route: String, status: u16, took: Duration) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let times = requests.entry((method, route, status)).or_default();
        let took = took.as_secs_f64();
        times.count += 1;
        times.sum += took;
        for (cell, end) in times.cells.iter_mut().zip(CELLS) {
            *cell += u64::from(took <= end);
        }
    }

    /// One more open event stream, until the value is dropped.
    pub(crate) fn stream(app: &App) -> Stream {
        app.metrics().streams.fetch_add(1, Ordering::Relaxed);
        Stream(app.clone())
    }

    /// The text that Prometheus reads, with some further gauges: name, help and value.
    pub(crate) fn text(&self, gauges: &[(&str, &str, f64)]) -> String {
        let mut text = String::new();
        let streams = self.streams.load(Ordering::Relaxed) as f64;
        let own = [("grove_event_streams", "Open event streams.", streams)];
        for (name, help, value) in own.iter().chain(gauges) {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}");
        }
        let name = "grove_http_request_duration_seconds";
        let _ = writeln!(text, "# HELP {name} Answered requests.\n# TYPE {name} histogram");
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        for ((method, route, status), times) in requests.iter() {
            let labels = format!("method=\"{method}\",route=\"{route}\",status=\"{status}\"");
            for (count, end) in times.cells.iter().zip(CELLS) {
                let _ = writeln!(text, "{name}_bucket{{{labels},le=\"{end}\"}} {count}");
            }
            let _ = writeln!(text, "{name}_bucket{{{labels},le=\"+Inf\"}} {}", times.count);
            let _ = writeln!(text, "{name}_sum{{{labels}}} {}", times.sum);
            let _ = writeln!(text, "{name}_count{{{labels}}} {}", times.count);
        }
        text
    }
}

/// An open event stream.
pub(crate) struct Stream(App);

impl Drop for Stream {
    fn drop(&mut self) {
        self.0.metrics().streams.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Notes every request under its route, never under its address: those hold invitations.
pub(crate) async fn measure(State(app): State<App>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    let method = known.iter().find(|method| **method == request.method().as_str()).unwrap_or(&"other");
    let begun = Instant::now();
    let response = next.run(request).await;
    app.metrics().note((*method).to_owned(), route, response.status().as_u16(), begun.elapsed());
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_add_up_as_prometheus_wants_them() {
        let metrics = Metrics::default();
        metrics.note("GET".into(), "/".into(), 200, Duration::from_millis(2));
        metrics.note("GET".into(), "/".into(), 200, Duration::from_secs(9));
        let text = metrics.text(&[("grove_lag", "Behind.", 3.0)]);
        let labels = "method=\"GET\",route=\"/\",status=\"200\"";
        let name = "grove_http_request_duration_seconds";
        assert!(text.contains("\ngrove_lag 3\n"), "{text}");
        for (end, count) in [("0.001", 0), ("0.0025", 1), ("5", 1), ("+Inf", 2)] {
            let line = format!("{name}_bucket{{{labels},le=\"{end}\"}} {count}\n");
            assert!(text.contains(&line), "{line}{text}");
        }
        assert!(text.contains(&format!("{name}_count{{{labels}}} 2\n")));
    }
}
