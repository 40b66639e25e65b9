//! Cross-site requests, headers and limits.

use axum::http::StatusCode;
use serde_json::json as value;

use super::{FOOD, HOME, NEAR, Site, TestRequest, form, get, json};

/// What browsers send about the origin of a request, and whether it is accepted.
const ORIGINS: [(Option<&str>, Option<&str>, bool); 12] = [
    (Some(HOME), Some("same-origin"), true),
    (Some(HOME), None, true),
    (Some("http://localhost:8077"), None, true),
    (None, Some("same-origin"), true),
    (None, None, false),
    (None, Some("none"), false),
    (None, Some("same-site"), false),
    (None, Some("cross-site"), false),
    (Some("null"), None, false),
    (Some("https://evil.example"), Some("cross-site"), false),
    (Some("https://evil.example"), Some("same-origin"), false),
    (Some(HOME), Some("same-site"), false),
];

#[tokio::test]
async fn only_our_own_pages_may_change_anything() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let campaign = site.campaign(ann, &FOOD).await;
    let cookie = site.session(ann).await;
    let page = |action: &str, body: &str| form(format!("/campaigns/{campaign}{action}"), body);
    let changing = || -> Vec<TestRequest> {
        vec![
            json("POST", format!("/api/v1/campaigns/{campaign}/resume"), &value!({})),
            json("DELETE", format!("/api/v1/campaigns/{campaign}/concepts/99"), &value!({})),
            json("PUT", format!("/api/v1/campaigns/{campaign}/settings"), &value!({"sead": 1})),
            json("PATCH", format!("/api/v1/campaigns/{campaign}/concepts/99"), &value!({"name": "x"})),
            page("/resume", ""),
            page("/concepts", "names="),
            page("/invite", "label=x"),
            form("/account/tokens", "label=x"),
            form("/login", "name=x&password=y"),
            form("/logout", ""),
        ]
    };
    for (origin, site_says, passes) in ORIGINS {
        // One of the requests logs out.
        let cookie = if passes { site.session(ann).await } else { cookie.clone() };
        for mut request in changing() {
            request.headers.retain(|(name, _)| *name != "origin");
            let what = format!("{} {} from {origin:?}, {site_says:?}", request.method, request.path);
            let login = request.path == "/login";
            let mut request = request.cookie(&cookie);
            request.headers.extend(origin.map(|origin| ("origin", origin.to_owned())));
            request.headers.extend(site_says.map(|says| ("sec-fetch-site", says.to_owned())));
            let response = site.send(request).await;
            let refused = response.status == StatusCode::FORBIDDEN && response.text.contains("another site");
            assert_eq!(refused, !passes, "{what}: {} {}", response.status, response.text);
            assert!(login || passes || response.header("set-cookie").is_empty(), "{what}");
        }
    }
    assert_eq!(site.send(get("/").cookie(&cookie)).await.status, StatusCode::OK, "ann is still logged in");
}

#[tokio::test]
async fn get_requests_change_nothing() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let campaign = site.campaign(ann, &FOOD).await;
    let (_, invitation) = site.invitation(campaign).await;
    let cookie = site.session(ann).await;
    let running = site.running(campaign).await;
    running.settle().await.unwrap();
    running.close().await.unwrap();
    let before = (
        site.store().campaign(campaign).await.unwrap(),
        site.store().invitations(campaign).await.unwrap(),
        site.store().credentials_of(ann).await.unwrap(),
    );
    let pages = ["", "?select=1", "/progress", "/workers", "/invite", "/compare", "/export", "/settings"];
    for page in pages {
        let response = site.send(get(format!("/campaigns/{campaign}{page}")).cookie(&cookie)).await;
        assert_eq!(response.status, StatusCode::OK, "{page}");
    }
    for page in
        ["/".to_owned(), "/account".to_owned(), "/campaigns/new".to_owned(), format!("/w/{invitation}")]
    {
        assert_eq!(site.send(get(page).cookie(&cookie)).await.status, StatusCode::OK);
    }
    let after = (
        site.store().campaign(campaign).await.unwrap(),
        site.store().invitations(campaign).await.unwrap(),
        site.store().credentials_of(ann).await.unwrap(),
    );
    assert_eq!(before, after);
}

#[tokio::test]
async fn every_response_has_security_headers() {
    let site = Site::new().await;
    let asset = format!("{}/base.css", crate::assets::folder());
    for path in ["/", "/login", "/nowhere", "/api/v1/me", "/api/v1/nowhere", "/healthz", "/metrics", &asset] {
        let response = site.send(get(path)).await;
        let policy = response.header("content-security-policy");
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{path}");
        assert!(!policy.contains("unsafe"), "{path}");
        assert_eq!(response.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(response.header("cache-control") == "no-store", path != asset, "{path}");
    }
    assert!(site.send(get(asset)).await.header("cache-control").contains("immutable"));
    for path in ["/static/x/../../Cargo.toml", "/static/x/%2e%2e%2fCargo.toml", "/static/x/nothing.css"] {
        assert_eq!(site.send(get(path)).await.status, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn malformed_requests_are_refused() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let (_, token) = site.token(ann).await;
    let send = |body: String, kind: &str| {
        let request = TestRequest {
            method: "POST",
            path: "/api/v1/campaigns".into(),
            headers: Vec::new(),
            body,
            from: NEAR,
        };
        site.send(request.bearer(&token).with("content-type", kind))
    };
    let long = value!({"name": "x".repeat(3_000_000)}).to_string();
    assert_eq!(send(long, "application/json").await.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(send("{}".into(), "text/plain").await.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let deep = format!("{{\"name\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000));
    for body in
        ["{", "[]", "{}", r#"{"name": "x", "sead": 1}"#, r#"{"name": "x", "settings": {"seed": -1}}"#, &deep]
    {
        let response = send(body.to_owned(), "application/json").await;
        assert_eq!(response.status, StatusCode::BAD_REQUEST, "{}", &body[..body.len().min(40)]);
        assert_eq!(response.json()["error"], "bad_request");
    }
}

#[tokio::test]
async fn metrics_hold_no_secrets() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let campaign = site.campaign(ann, &FOOD).await;
    let (_, invitation) = site.invitation(campaign).await;
    site.send(get(format!("/w/{invitation}"))).await;
    assert_eq!(site.send(get("/healthz")).await.text, "ok\n");
    let metrics = site.send(get("/metrics")).await.text;
    assert!(metrics.contains("grove_campaigns 1\n"), "{metrics}");
    assert!(
        metrics.contains("route=\"/w/{invitation}/\"") || metrics.contains("route=\"/w/{invitation}\""),
        "{metrics}"
    );
    assert!(!metrics.contains(&invitation) && !metrics.contains(&campaign.to_string()));
}
