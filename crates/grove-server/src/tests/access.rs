//! Every operation in the OpenAPI document, with credentials of every kind.

use axum::http::StatusCode;
use axum::routing::get as on_get;
use grove_store::{CampaignId, Moment};
use serde_json::{Value, json as value};
use uuid::Uuid;

use super::{FOOD, Site, TestRequest, get, json};

/// A method and a path with parameters in braces.
#[derive(Clone, PartialEq, Debug)]
struct Route {
    method: &'static str,
    path: String,
}

impl Route {
    fn is_for_workers(&self) -> bool {
        self.path.starts_with("/api/v1/work/")
    }

    /// A request for one campaign, with plausible values for the other parameters.
    fn request(&self, campaign: CampaignId) -> TestRequest {
        let mut path = self.path.replace("{campaign}", &campaign.to_string());
        for (name, text) in [
            ("{concept}", "1"),
            ("{format}", "csv"),
            ("{worker}", "ann"),
            ("{token}", NOBODY),
            ("{invitation}", NOBODY),
            ("{account}", NOBODY),
            ("{panel}", NOBODY),
        ] {
            path = path.replace(name, text);
        }
        let path = path.replace("{correction}", NOBODY);
        assert!(!path.contains('{'), "give a value for the parameter in {path}");
        json(self.method, path, &value!({}))
    }
}

const NOBODY: &str = "00000000-0000-7000-8000-000000000000";

fn routes() -> Vec<Route> {
    let document: Value = serde_json::from_str(&crate::openapi()).unwrap();
    let paths = document["paths"].as_object().unwrap();
    let known = [("get", "GET"), ("post", "POST"), ("put", "PUT"), ("patch", "PATCH"), ("delete", "DELETE")];
    let mut routes = Vec::new();
    for (path, methods) in paths {
        for method in methods.as_object().unwrap().keys() {
            let method = known.iter().find(|known| known.0 == method).unwrap_or_else(|| panic!("{method}")).1;
            routes.push(Route { method, path: path.clone() });
        }
    }
    routes
}

/// The routes that return anything but 401 to some of the given callers.
async fn open_routes(
    site: &Site,
    routes: &[Route],
    campaign: CampaignId,
    callers: &[(&str, Credentials)],
) -> Vec<String> {
    let mut open = Vec::new();
    for route in routes {
        for (who, credentials) in callers {
            let response = site.send(credentials(route.request(campaign))).await;
            if response.status != StatusCode::UNAUTHORIZED {
                open.push(format!("{} {} for {who}: {}", route.method, route.path, response.status));
            }
        }
    }
    open
}

type Credentials = Box<dyn Fn(TestRequest) -> TestRequest>;

fn token(secret: String) -> Credentials {
    Box::new(move |request| request.bearer(&secret).with("grove-worker", "a worker of my own"))
}

fn cookie(text: String) -> Credentials {
    Box::new(move |request| request.cookie(&text).with("origin", super::HOME))
}

#[tokio::test]
async fn requests_without_a_valid_credential_are_refused() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let campaign = site.campaign(ann, &FOOD).await;
    let (_, owners) = site.token(ann).await;
    let (revoked, revoked_secret) = site.token(ann).await;
    site.store().revoke_credential(revoked, site.now()).await.unwrap();
    let gone = site.owner("gone").await;
    let (_, of_deleted) = site.token(gone).await;
    site.store().delete_owner(gone).await.unwrap();
    let (_, invitation) = site.invitation(campaign).await;
    let (ended, ended_invitation) = site.invitation(campaign).await;
    site.store().revoke_credential(ended, site.now()).await.unwrap();
    let expired = site.session_until(ann, Moment(1)).await;
    let session = site.session(ann).await;
    let session_secret = session.split_once('=').unwrap().1.to_owned();

    let (for_workers, for_owners): (Vec<Route>, Vec<Route>) =
        routes().into_iter().partition(Route::is_for_workers);
    assert!(for_owners.len() > 30 && for_workers.len() == 3, "{} {}", for_owners.len(), for_workers.len());

    let nobody = || -> Credentials { Box::new(|request| request.with("origin", super::HOME)) };
    let strangers: Vec<(&str, Credentials)> = vec![
        ("nobody", nobody()),
        ("a made-up token", token("0123456789".repeat(4))),
        ("an empty token", token(String::new())),
        ("a revoked token", token(revoked_secret)),
        ("the token of a deleted owner", token(of_deleted)),
        ("a worker", token(invitation.clone())),
        ("a session shown as a token", token(session_secret.clone())),
        ("a token shown as a session", cookie(format!("grove_session={owners}"))),
        ("an expired session", cookie(expired)),
    ];
    assert_eq!(open_routes(&site, &for_owners, campaign, &strangers).await, Vec::<String>::new());

    let strangers: Vec<(&str, Credentials)> = vec![
        ("nobody", nobody()),
        ("an owner", token(owners.clone())),
        ("an owner's browser", cookie(session)),
        ("a revoked invitation", token(ended_invitation)),
        ("a session shown as a token", token(session_secret)),
    ];
    assert_eq!(open_routes(&site, &for_workers, campaign, &strangers).await, Vec::<String>::new());
    let next = for_workers.iter().find(|route| route.path.ends_with("next")).unwrap();
    let asked = site.send(token(invitation)(next.request(campaign))).await;
    assert_eq!((asked.status, &asked.json()["status"]), (StatusCode::OK, &value!("ask")));
}

#[tokio::test]
async fn owners_may_do_everything_in_their_own_campaigns() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let (_, secret) = site.token(ann).await;
    let session = site.session(ann).await;
    let callers: [(&str, Credentials); 2] = [("a token", token(secret)), ("a session", cookie(session))];
    for route in
        routes().into_iter().filter(|route| !route.is_for_workers() && !route.path.ends_with("/events"))
    {
        for (who, credentials) in &callers {
            // Some operations delete the campaign.
            let campaign = site.campaign(ann, &FOOD[..2]).await;
            let response = site.send(credentials(route.request(campaign))).await;
            let refused = [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN].contains(&response.status);
            assert!(
                !refused && !response.status.is_server_error(),
                "{route:?} by {who}: {} {}",
                response.status,
                response.text
            );
            let names_campaign = route.path.matches('{').count() == 1 && route.path.contains("{campaign}");
            assert!(
                !names_campaign || response.status != StatusCode::NOT_FOUND,
                "{route:?} by {who} is not found"
            );
        }
    }
}

#[tokio::test]
async fn an_unprotected_route_is_detected() {
    let mut site = Site::new().await;
    let ann = site.owner("ann").await;
    let campaign = site.campaign(ann, &FOOD).await;
    site.router = site.router.clone().route("/api/v1/open", on_get(|| async { "open" }));
    let planted = [Route { method: "GET", path: "/api/v1/open".into() }];
    let nobody: Credentials = Box::new(|request| request);
    assert_eq!(open_routes(&site, &planted, campaign, &[("nobody", nobody)]).await.len(), 1);
}

#[tokio::test]
async fn campaigns_of_others_are_not_found() {
    let site = Site::new().await;
    let (ann, bob) = (site.owner("ann").await, site.owner("bob").await);
    let campaign = site.campaign(ann, &FOOD).await;
    let before = site.store().campaign(campaign).await.unwrap();
    let (_, bobs) = site.token(bob).await;
    let never = CampaignId(Uuid::nil());
    let mut seen = 0;
    for route in routes().into_iter().filter(|route| route.path.contains("{campaign}")) {
        let others = site.send(route.request(campaign).bearer(&bobs)).await;
        let unknown = site.send(route.request(never).bearer(&bobs)).await;
        assert_eq!(others.status, StatusCode::NOT_FOUND, "{route:?}");
        assert_eq!((others.status, &others.text), (unknown.status, &unknown.text), "{route:?}");
        seen += 1;
    }
    assert!(seen > 25, "{seen}");
    assert_eq!(site.store().campaign(campaign).await.unwrap(), before);

    let cookie = site.session(bob).await;
    for page in ["", "/progress", "/workers", "/invite", "/compare", "/export", "/settings", "/payments.csv"]
    {
        let others = site.send(get(format!("/campaigns/{campaign}{page}")).cookie(&cookie)).await;
        let unknown = site.send(get(format!("/campaigns/{never}{page}")).cookie(&cookie)).await;
        assert_eq!(others.status, StatusCode::NOT_FOUND, "{page}");
        assert_eq!(others.text, unknown.text, "{page}");
    }
}

#[tokio::test]
async fn resources_of_another_campaign_are_not_found() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let (one, other) = (site.campaign(ann, &FOOD).await, site.campaign(ann, &FOOD).await);
    let (_, token) = site.token(ann).await;
    let (invitation, _) = site.invitation(one).await;
    let path = format!("/api/v1/campaigns/{other}/invitations/{}", invitation.0);
    let response = site.send(json("DELETE", path, &value!(null)).bearer(&token)).await;
    assert_eq!(response.status, StatusCode::NOT_FOUND);
    let id = Uuid::now_v7();
    let correction = value!({"id": id, "rule": "directly_under", "lower": 2, "upper": 1});
    let made = json("POST", format!("/api/v1/campaigns/{one}/corrections"), &correction).bearer(&token);
    assert_eq!(site.send(made).await.status, StatusCode::NO_CONTENT);
    let undo = |campaign| {
        json("DELETE", format!("/api/v1/campaigns/{campaign}/corrections/{id}"), &value!(null)).bearer(&token)
    };
    assert_eq!(site.send(undo(other)).await.status, StatusCode::NOT_FOUND);
    assert_eq!(site.send(undo(one)).await.status, StatusCode::NO_CONTENT);
}
