//! Workers: the API and the worker page.

use axum::http::StatusCode;
use serde_json::{Value, json as value};
use uuid::Uuid;

use super::{FOOD, Site, TestRequest, form, get, json};

/// A program that answers as one worker.
struct Program<'s> {
    site: &'s Site,
    invitation: String,
    worker: &'static str,
}

impl Program<'_> {
    async fn post(&self, action: &str, body: &Value) -> super::TestResponse {
        let request = json("POST", format!("/api/v1/work/{action}"), body);
        self.site.send(request.bearer(&self.invitation).with("grove-worker", self.worker)).await
    }

    async fn next(&self) -> Value {
        self.post("next", &value!({})).await.json()["questions"][0].clone()
    }
}

fn vote(id: Uuid, question: &Value, answer: &str) -> Value {
    let part = |name: &str| question[name].clone();
    value!({"id": id, "kind": part("kind"), "upper": part("upper"), "lower": part("lower"), "answer": answer})
}

#[tokio::test]
async fn a_repeated_vote_counts_once() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let campaign = site.campaign(ann, &FOOD).await;
    let (_, invitation) = site.invitation(campaign).await;
    let bob = Program { site: &site, invitation: invitation.clone(), worker: "the secret of bob" };
    let eve = Program { site: &site, invitation, worker: "the secret of eve" };
    let question = bob.next().await;
    assert_eq!(bob.next().await, question, "a question stays reserved until it is answered");
    let others = eve.next().await;
    assert_ne!((&others["upper"], &others["lower"]), (&question["upper"], &question["lower"]));

    let id = Uuid::now_v7();
    let first = bob.post("votes", &vote(id, &question, "yes")).await;
    assert_eq!(first.status, StatusCode::OK, "{}", first.text);
    let again = bob.post("votes", &vote(id, &question, "yes")).await;
    assert_eq!((again.status, &again.text), (StatusCode::OK, &first.text));
    let otherwise = bob.post("votes", &vote(id, &question, "no")).await;
    assert_eq!(otherwise.status, StatusCode::CONFLICT);
    let twice = bob.post("votes", &vote(Uuid::now_v7(), &question, "yes")).await;
    assert_eq!(twice.status, StatusCode::CONFLICT);
    let stolen = eve.post("votes", &vote(id, &question, "yes")).await;
    assert_eq!(stolen.status, StatusCode::CONFLICT);
    let tally = site.store().workers(campaign).await.unwrap();
    assert_eq!((tally.len(), tally[0].votes), (1, 1));

    let undone = bob.post("undo", &value!({})).await;
    assert_eq!(undone.json()["vote"], value!(id));
    assert_eq!(bob.post("undo", &value!({})).await.status, StatusCode::CONFLICT);
    assert_eq!(bob.post("votes", &vote(Uuid::now_v7(), &question, "no")).await.status, StatusCode::OK);

    let nonsense = [
        value!({"upper": 1, "lower": 1}),
        value!({"upper": 0, "lower": 1}),
        value!({"upper": 1, "lower": 99}),
    ];
    for mut question in nonsense {
        question["kind"] = value!("path");
        let answer = bob.post("votes", &vote(Uuid::now_v7(), &question, "yes")).await;
        assert!(answer.status.is_client_error(), "{question}: {}", answer.status);
    }
}

/// The value of a hidden field of a page.
fn field(page: &str, name: &str) -> String {
    let start = format!("name=\"{name}\" value=\"");
    let at = page.find(&start).unwrap_or_else(|| panic!("no {name} in {page}")) + start.len();
    page[at..].split('"').next().unwrap().to_owned()
}

#[tokio::test]
async fn workers_can_answer_without_javascript() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let campaign = site.campaign(ann, &FOOD).await;
    let (_, invitation) = site.invitation(campaign).await;
    let page = format!("/w/{invitation}");
    let welcome = site.send(get(&page)).await;
    assert!(welcome.text.contains("/start") && !welcome.text.contains("/vote"), "{}", welcome.text);
    let started = site.send(form(format!("{page}/start"), "")).await;
    assert_eq!((started.status, started.header("location")), (StatusCode::SEE_OTHER, page.as_str()));
    let cookie = started.cookie();
    let show = || get(&page).cookie(&cookie);
    let question = site.send(show()).await.text;
    assert!(question.contains("Answered: 0") && !question.contains("/undo"));
    let body = |answer: &str| {
        let parts = ["id", "kind", "upper", "lower"].map(|name| format!("{name}={}", field(&question, name)));
        format!("{}&answer={answer}", parts.join("&"))
    };
    let send = || -> TestRequest { form(format!("{page}/vote"), &body("yes")).cookie(&cookie) };
    for _ in 0..3 {
        let voted = site.send(send()).await;
        assert_eq!((voted.status, voted.header("location")), (StatusCode::SEE_OTHER, page.as_str()));
    }
    let next = site.send(show()).await.text;
    assert!(next.contains("Answered: 1") && next.contains("/undo"), "{next}");
    assert_ne!(field(&next, "id"), field(&question, "id"));
    site.send(form(format!("{page}/undo"), "").cookie(&cookie)).await;
    assert!(site.send(show()).await.text.contains("Answered: 0"));
    let wrong = site.send(form(format!("{page}/vote"), &body("perhaps")).cookie(&cookie)).await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn workers_are_told_why_there_are_no_questions() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let campaign = site.campaign(ann, &["cheese", "brie"]).await;
    let (id, invitation) = site.invitation(campaign).await;
    let (_, token) = site.token(ann).await;
    let page = format!("/w/{invitation}");
    let cookie = site.send(form(format!("{page}/start"), "")).await.cookie();
    let show = || get(&page).cookie(&cookie);
    let steer = |action: &str| {
        let because = if action == "resume" { value!(null) } else { value!({"reason": "lunch & <rest>"}) };
        json("POST", format!("/api/v1/campaigns/{campaign}/{action}"), &because).bearer(&token)
    };
    for (action, heading) in [("pause", "Paused"), ("stop", "This study has ended")] {
        assert_eq!(site.send(steer(action)).await.status, StatusCode::NO_CONTENT);
        let told = site.send(show()).await.text;
        assert!(told.contains(heading) && told.contains("lunch &#38; &#60;rest&#62;"), "{told}");
    }
    site.send(steer("resume")).await;
    // There are two questions about two concepts.
    for _ in 0..2 {
        let question = site.send(show()).await.text;
        let parts = ["id", "kind", "upper", "lower"].map(|name| format!("{name}={}", field(&question, name)));
        site.send(form(format!("{page}/vote"), &format!("{}&answer=no", parts.join("&"))).cookie(&cookie))
            .await;
    }
    let told = site.send(show()).await.text;
    assert!(told.contains("All done") || told.contains("One moment"), "{told}");
    let revoke = json("DELETE", format!("/api/v1/campaigns/{campaign}/invitations/{id}"), &value!(null));
    assert_eq!(site.send(revoke.bearer(&token)).await.status, StatusCode::NO_CONTENT);
    assert_eq!(site.send(show()).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_worker_page_is_small() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let campaign = site.campaign(ann, &FOOD).await;
    let (_, invitation) = site.invitation(campaign).await;
    let page = format!("/w/{invitation}");
    let cookie = site.send(form(format!("{page}/start"), "")).await.cookie();
    let mut all = site.send(get(&page).cookie(&cookie)).await.text.len();
    for asset in ["base.css", "work.css", "work.js", "icon.svg"] {
        all += site.send(get(format!("{}/{asset}", crate::assets::folder()))).await.text.len();
    }
    assert!(all < 30_000, "{all} bytes");
}

#[tokio::test]
async fn votes_are_limited_by_rate() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let campaign = site.campaign(ann, &FOOD).await;
    let (_, invitation) = site.invitation(campaign).await;
    let bob = Program { site: &site, invitation, worker: "the secret of bob" };
    let question = value!({"kind": "path", "upper": 1, "lower": 2});
    let same = vote(Uuid::now_v7(), &question, "yes");
    let mut refused = 0;
    for _ in 0..910 {
        refused += usize::from(bob.post("votes", &same).await.status == StatusCode::TOO_MANY_REQUESTS);
    }
    // The limit recovers by one vote per second while the test runs.
    assert!((1..=10).contains(&refused), "{refused}");
}
