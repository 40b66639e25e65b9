//! Texts that anybody wrote are escaped on every page.

use axum::http::StatusCode;
use grove_campaign::{NewConcept, Settings};
use serde_json::json as value;

use super::{Site, form, get, json};

const PAYLOADS: [&str; 8] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "'onmouseover='alert(1)",
    "</title><svg/onload=alert(1)>",
    "javascript:alert(1)",
    "{{ 7 * 7 }}{% raw %}",
    "</text></svg><script>alert(1)</script>",
    "<!--<b>-->&lt;i&gt;",
];

/// Whether a page contains a text unescaped.
fn contains_raw(page: &str, payload: &str) -> bool {
    payload.contains(['<', '"', '\'', '&']) && page.contains(payload)
}

/// A text as the templates escape it.
fn escaped(text: &str) -> String {
    text.replace('&', "&#38;")
        .replace('<', "&#60;")
        .replace('>', "&#62;")
        .replace('"', "&#34;")
        .replace('\'', "&#39;")
}

#[test]
fn unescaped_text_would_be_detected() {
    assert!(
        PAYLOADS.iter().filter(|payload| contains_raw(&format!("<p>{payload}</p>"), payload)).count() >= 6
    );
}

#[tokio::test]
async fn pages_escape_all_texts() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let (_, token) = site.token(ann).await;
    let cookie = site.session(ann).await;
    for payload in PAYLOADS {
        let concepts = ["a", "b"].map(|name| NewConcept {
            name: format!("{name}{payload}"),
            definition: payload.to_owned(),
            synonyms: vec![format!("s{payload}")],
            ..NewConcept::default()
        });
        let settings = Settings {
            title: payload.to_owned(),
            root: format!("root{payload}"),
            consent: payload.to_owned(),
            relation: format!("{payload} {{child}} {{parent}}"),
            ..Settings::default()
        };
        let campaign = site.create(ann, &format!("n{payload}"), settings, &concepts).await;
        let (_, invitation) = site.invitation(campaign).await;
        let path = format!("/campaigns/{campaign}");
        let api = format!("/api/v1{path}");
        let post = |action: &str, body| json("POST", format!("{api}/{action}"), &body).bearer(&token);
        let correction =
            value!({"id": uuid::Uuid::now_v7(), "rule": "directly_under", "lower": 2, "upper": 1});
        assert_eq!(site.send(post("corrections", correction)).await.status, StatusCode::NO_CONTENT);
        let file = format!("worker,upper,lower,answer\n\"{}\",1,2,yes\n", payload.replace('"', "\"\""));
        // Concepts are matched by name and these are numbers, so the import is refused, and the response quotes the input.
        let refused = site.send(post("votes/import", value!({"name": payload, "text": file}))).await;
        assert!(refused.status.is_client_error());
        let cookie_of = site.send(form(format!("/w/{invitation}/start"), "")).await.cookie();
        let pause = post("pause", value!({"reason": payload}));

        let mut pages = vec![site.send(get(format!("/w/{invitation}"))).await];
        pages.push(site.send(get(format!("/w/{invitation}")).cookie(&cookie_of)).await);
        assert_eq!(site.send(pause).await.status, StatusCode::NO_CONTENT);
        pages.push(site.send(get(format!("/w/{invitation}")).cookie(&cookie_of)).await);
        for page in [
            "",
            "?select=2",
            "?find=%3Cscript%3E",
            "?closed=1",
            "/progress",
            "/workers",
            "/history",
            "/names?find=a",
            "?view=outline",
            "?view=icicle",
            "/invite",
            "/settings",
        ] {
            pages.push(site.send(get(format!("{path}{page}")).cookie(&cookie)).await);
        }
        pages.push(site.send(get("/").cookie(&cookie)).await);
        let labelled =
            format!("label={}", payload.replace('%', "%25").replace('&', "%26").replace('+', "%2B"));
        pages.push(site.send(form(format!("{path}/invite"), &labelled).cookie(&cookie)).await);
        pages.push(
            site.send(
                form(format!("{path}/concepts/2/merge"), &labelled.replace("label", "to")).cookie(&cookie),
            )
            .await,
        );
        for (nth, page) in pages.iter().enumerate() {
            // Browsers do not run what is declared as JSON.
            if page.header("content-type").starts_with("application/json") {
                assert_eq!(page.header("x-content-type-options"), "nosniff");
                continue;
            }
            assert!(!contains_raw(&page.text, payload), "page {nth} contains {payload:?}:\n{}", page.text);
            assert!(!page.text.contains("<script>") && !page.text.contains("<img src=x"), "page {nth}");
        }
        for nth in [0, 1, 3, 4] {
            assert!(pages[nth].text.contains(&escaped(payload)), "page {nth} does not show {payload:?}");
        }
    }
}

#[tokio::test]
async fn exports_are_downloads() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let (_, token) = site.token(ann).await;
    let campaign = site.campaign(ann, &super::FOOD).await;
    for format in grove_formats::Format::ALL {
        let path = format!("/api/v1/campaigns/{campaign}/export/{}", format.name());
        let answer = site.send(get(path).bearer(&token)).await;
        assert_eq!(answer.status, StatusCode::OK, "{format}: {}", answer.text);
        assert!(answer.header("content-disposition").starts_with("attachment"), "{format}");
        assert!(answer.text.contains("brie"), "{format}");
    }
    let unknown = site.send(get(format!("/api/v1/campaigns/{campaign}/export/exe")).bearer(&token)).await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
}
