//! What strangers, and those who have logged out, can reach.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use grove_campaign::SystemClock;
use http_body_util::BodyExt as _;
use tower::ServiceExt as _;

use super::{FOOD, Site, form, get};
use crate::config::Config;

/// Another site could send an owner to a link that logs them in as somebody else, who then sees what they do.
#[tokio::test]
async fn following_a_link_logs_nobody_in() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let cookie = site.session(ann).await;
    let path = format!("/enter/{}", cookie.strip_prefix("grove_session=").unwrap());
    let asked = site.send(get(format!("{path}?next=/campaigns/new"))).await;
    assert_eq!((asked.status, asked.header("set-cookie")), (StatusCode::OK, ""));
    assert!(asked.text.contains("Log in as ann?"), "{}", asked.text);
    let mut foreign = form(&path, "next=/campaigns/new");
    foreign.headers.retain(|(name, _)| *name != "origin");
    let foreign = site.send(foreign.with("origin", "https://evil.example")).await;
    assert_eq!((foreign.status, foreign.header("set-cookie")), (StatusCode::FORBIDDEN, ""));
    let entered = site.send(form(&path, "next=/campaigns/new")).await;
    assert_eq!((entered.status, entered.header("location")), (StatusCode::SEE_OTHER, "/campaigns/new"));
    assert_eq!(entered.cookie(), cookie);
    let again = site.send(get(format!("{path}?next=/campaigns/new")).cookie(&cookie)).await;
    assert_eq!(again.status, StatusCode::SEE_OTHER, "who is logged in already is not asked");
    for unknown in [get("/enter/nonsense"), form("/enter/nonsense", "next=/")] {
        assert_eq!(site.send(unknown).await.status, StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn event_streams_end_when_their_owner_logs_out() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let campaign = site.campaign(ann, &FOOD).await;
    let [leaving, staying] = [site.session(ann).await, site.session(ann).await];
    let open = async |cookie: &str| {
        let request = Request::builder()
            .uri(format!("/api/v1/campaigns/{campaign}/events"))
            .header("cookie", cookie)
            .body(Body::empty())
            .unwrap();
        let mut body = site.router.clone().oneshot(request).await.unwrap().into_body();
        assert!(body.frame().await.unwrap().is_ok(), "the first event comes at once");
        body
    };
    let (mut left, mut stayed) = (open(&leaving).await, open(&staying).await);
    // Until the belief has settled there are more.
    site.running(campaign).await.settle().await.unwrap();
    site.send(form("/logout", "").cookie(&leaving)).await;
    let ended = async {
        while let Some(frame) = left.frame().await {
            frame.unwrap();
        }
    };
    tokio::time::timeout(Duration::from_secs(5), ended).await.expect("it ends");
    let still_open = async {
        while let Some(frame) = stayed.frame().await {
            frame.unwrap();
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(2), still_open).await.is_err(), "the other goes on");
}

#[tokio::test]
async fn metrics_are_for_this_machine_or_with_a_token() {
    let site = Site::new().await;
    let metrics = site.send(get("/metrics")).await;
    assert_eq!(metrics.status, StatusCode::OK);
    for name in
        ["belief_age_seconds 0.0", "background_errors 0", "write_errors 0", "write_queue 0", "servers 1"]
    {
        assert!(metrics.text.contains(&format!("\ngrove_{name}\n")), "{name}: {}", metrics.text);
    }
    assert_eq!(site.send(get("/metrics").from("192.0.2.1")).await.status, StatusCode::FORBIDDEN);
    let forwarded = get("/metrics").with("x-forwarded-for", "127.0.0.1");
    assert_eq!(site.send(forwarded).await.status, StatusCode::FORBIDDEN, "by a proxy on this machine");
    let config = Config { metrics_token: Some("a secret of some length".to_owned()), ..Config::default() };
    let site = Site::with(config, Arc::new(SystemClock)).await;
    assert_eq!(site.send(get("/metrics")).await.status, StatusCode::FORBIDDEN);
    assert_eq!(site.send(get("/metrics").bearer("another")).await.status, StatusCode::FORBIDDEN);
    let with_token = get("/metrics").bearer("a secret of some length").from("192.0.2.1");
    assert_eq!(site.send(with_token).await.status, StatusCode::OK);
}

#[tokio::test]
async fn browsers_are_told_to_come_back_by_https() {
    let site = Site::new().await;
    assert_eq!(site.send(get("/login")).await.header("strict-transport-security"), "");
    let config = Config { public_url: Some("https://grove.example.org".to_owned()), ..Config::default() };
    let site = Site::with(config, Arc::new(SystemClock)).await;
    for path in ["/login", "/nowhere", "/api/v1/me"] {
        assert_eq!(site.send(get(path)).await.header("strict-transport-security"), "max-age=31536000");
    }
}

#[tokio::test]
async fn a_server_is_alive_before_it_is_ready() {
    let site = Site::new().await;
    assert_eq!(site.send(get("/healthz")).await.text, "ok\n");
    let early = site.send(get("/readyz")).await;
    assert_eq!((early.status, early.header("retry-after")), (StatusCode::SERVICE_UNAVAILABLE, "5"));
    site.app.has_started.store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(site.send(get("/readyz")).await.text, "ready\n");
    site.store().close().await;
    assert_eq!(site.send(get("/healthz")).await.status, StatusCode::OK);
    assert_eq!(
        site.send(get("/readyz")).await.status,
        StatusCode::SERVICE_UNAVAILABLE,
        "without its database"
    );
}
