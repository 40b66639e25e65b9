//! Accounts, sessions and tokens.

use axum::http::StatusCode;

use super::{PASSWORD, Site, form, get};
use crate::serve::first_owner_link;

#[tokio::test]
async fn the_link_for_the_first_owner_works_once() {
    let site = Site::new().await;
    let link = first_owner_link(&site.app).await.unwrap().unwrap();
    let path = link.strip_prefix(super::HOME).unwrap().to_owned();
    assert_eq!(site.send(get(&path)).await.status, StatusCode::OK);
    let short = site.send(form(&path, "name=ann&password=short")).await;
    assert_eq!(short.status, StatusCode::BAD_REQUEST);
    let made = site.send(form(&path, "name=ann&password=a+long+password")).await;
    assert_eq!(made.status, StatusCode::SEE_OTHER, "{}", made.text);
    assert_eq!(site.send(get("/").cookie(&made.cookie())).await.status, StatusCode::OK);
    assert_eq!(site.send(get(&path)).await.status, StatusCode::NOT_FOUND);
    let second = site.send(form(&path, "name=bob&password=a+long+password")).await;
    assert_eq!(second.status, StatusCode::NOT_FOUND);
    assert_eq!(site.store().owners().await.unwrap().len(), 1);
    assert_eq!(first_owner_link(&site.app).await.unwrap(), None);
}

#[tokio::test]
async fn sessions_start_and_end() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let away = site.send(get("/campaigns/new")).await;
    assert_eq!((away.status, away.header("location")), (StatusCode::SEE_OTHER, "/login?next=/campaigns/new"));
    let log_in = || form("/login", "name=ann&password=a+long+password&next=%2Fcampaigns%2Fnew");
    let welcome = site.send(log_in()).await;
    assert_eq!((welcome.status, welcome.header("location")), (StatusCode::SEE_OTHER, "/campaigns/new"));
    let set = welcome.header("set-cookie");
    assert!(set.contains("HttpOnly") && set.contains("SameSite=Lax") && set.contains("Path=/"), "{set}");
    let (one, other) = (welcome.cookie(), site.send(log_in()).await.cookie());
    assert_ne!(one, other);
    assert_eq!(site.send(get("/").cookie(&one)).await.status, StatusCode::OK);
    site.send(form("/logout", "").cookie(&one)).await;
    assert_eq!(site.send(get("/").cookie(&one)).await.status, StatusCode::SEE_OTHER);
    assert_eq!(site.send(get("/").cookie(&other)).await.status, StatusCode::OK);

    let change =
        |old: &str| form("/account/password", &format!("old={old}&new=another+password")).cookie(&other);
    assert_eq!(site.send(change("wrong+wrong+wrong")).await.status, StatusCode::BAD_REQUEST);
    assert_eq!(site.send(change(&PASSWORD.replace(' ', "+"))).await.status, StatusCode::SEE_OTHER);
    assert_eq!(site.send(get("/").cookie(&other)).await.status, StatusCode::SEE_OTHER, "all sessions end");
    let kept = site.store().owner(ann).await.unwrap().unwrap().password_hash;
    assert!(kept.starts_with("$argon2id$") && !kept.contains("another"));
}

#[tokio::test]
async fn sessions_are_listed_and_ended_and_logins_are_recorded() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let log_in =
        |browser: &str| form("/login", "name=ann&password=a+long+password").with("user-agent", browser);
    site.send(form("/login", "name=ann&password=not+this+one")).await;
    let (here, there) = (
        site.send(log_in("A browser here")).await.cookie(),
        site.send(log_in("<b>A browser there</b>")).await.cookie(),
    );
    let page = site.send(get("/account").cookie(&here)).await.text;
    assert!(page.contains("A browser here") && page.contains("A browser there") && !page.contains("<b>A"));
    let sessions = site.store().credentials_of(ann).await.unwrap();
    let other = sessions.iter().find(|session| session.label.contains("there")).unwrap().id;
    let end = || form(format!("/account/sessions/{other}/end"), "");
    // Only one's own can be ended.
    let bob = site.owner("bob").await;
    let stranger = site.session(bob).await;
    assert_eq!(site.send(end().cookie(&stranger)).await.status, StatusCode::NOT_FOUND);
    assert_eq!(site.send(get("/account").cookie(&there)).await.status, StatusCode::OK);
    assert_eq!(site.send(end().cookie(&here)).await.status, StatusCode::SEE_OTHER);
    assert_eq!(site.send(get("/account").cookie(&there)).await.status, StatusCode::SEE_OTHER, "it has ended");
    assert_eq!(site.send(get("/account").cookie(&here)).await.status, StatusCode::OK);
    site.send(form("/logout", "").cookie(&here)).await;
    let entries = site.store().audit(Some(ann), 10).await.unwrap();
    let actions: Vec<&str> = entries.iter().rev().map(|entry| entry.action.as_str()).collect();
    assert_eq!(actions, ["login failed", "logged in", "logged in", "session ended", "logged out"]);
    assert!(entries.iter().all(|entry| !entry.address.is_empty()));
}

#[tokio::test]
async fn tokens_are_created_shown_once_and_revoked() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let cookie = site.session(ann).await;
    let made = site.send(form("/account/tokens", "label=nightly").cookie(&cookie)).await;
    assert_eq!(made.status, StatusCode::SEE_OTHER, "reloading must not make another");
    let with_token = format!("{cookie}; {}", made.cookie());
    let made = site.send(get("/account").cookie(&with_token)).await.text;
    let at = made.find("<code class=\"secret\">").unwrap() + 21;
    let token = &made[at..at + 40];
    assert_eq!(site.send(get("/api/v1/me").bearer(token)).await.json()["name"], "ann");
    assert!(!site.send(get("/account").cookie(&cookie)).await.text.contains(token));
    let id =
        site.send(get("/api/v1/tokens").bearer(token)).await.json()[0]["id"].as_str().unwrap().to_owned();
    site.send(form(format!("/account/tokens/{id}/revoke"), "").cookie(&cookie)).await;
    assert_eq!(site.send(get("/api/v1/me").bearer(token)).await.status, StatusCode::UNAUTHORIZED);
}
