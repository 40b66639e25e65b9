//! Workers: the API and the worker page.

use axum::http::StatusCode;
use grove_campaign::{NewConcept, Preset, Settings};
use grove_store::{Credential, CredentialId, Moment, Purpose};
use serde_json::{Value, json as value};
use uuid::Uuid;

use super::{FOOD, Site, TestRequest, form, get, json};
use crate::auth::Secret;

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
        self.post("next", &value!({})).await.json()["screens"][0].clone()
    }
}

fn vote(id: Uuid, question: &Value, answer: &str) -> Value {
    let part = |name: &str| question[name].clone();
    value!({"id": id, "kind": part("kind"), "upper": part("upper"), "lower": part("lower"), "answer": answer,
        "ticket": question["ticket"].as_str().unwrap_or_default()})
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
    assert_eq!(stolen.status, StatusCode::FORBIDDEN);
    let tally = site.store().workers(campaign).await.unwrap();
    assert_eq!((tally.len(), tally[0].votes), (1, 1));

    let undone = bob.post("undo", &value!({})).await;
    assert_eq!(undone.json()["vote"], value!(id));
    assert_eq!(bob.post("undo", &value!({})).await.status, StatusCode::CONFLICT);
    let mut again = question.clone();
    again["ticket"] = undone.json()["ticket"].clone();
    assert_eq!(bob.post("votes", &vote(Uuid::now_v7(), &again, "no")).await.status, StatusCode::OK);

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
    page[at..].split('"').next().unwrap().replace("&#34;", "\"")
}

/// The body of a form with an answer to the question of a page.
fn answered(page: &str, fields: &[(&str, &str)]) -> String {
    let hidden = ["id", "screen", "ticket"].map(|name| (name, field(page, name)));
    let given = fields.iter().map(|(name, value)| (*name, (*value).to_owned()));
    let encode = |text: String| -> String { text.bytes().map(|byte| format!("%{byte:02X}")).collect() };
    let pairs = hidden.into_iter().chain(given).map(|(name, value)| format!("{name}={}", encode(value)));
    pairs.collect::<Vec<_>>().join("&")
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
    let body = |answer: &str| answered(&question, &[("answer", answer)]);
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

/// Every form, as a browser without a script sends it.
#[tokio::test]
async fn every_form_can_be_answered_without_javascript() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    for form_name in ["pick", "tick", "place"] {
        let settings =
            Settings::new(Preset::Crowd).over(&value!({"forms": [form_name], "root": "food"})).unwrap();
        let concepts: Vec<NewConcept> = FOOD.iter().map(|name| NewConcept::named(name)).collect();
        let campaign = site.create(ann, form_name, settings, &concepts).await;
        let (_, invitation) = site.invitation(campaign).await;
        let page = format!("/w/{invitation}");
        let cookie = site.send(form(format!("{page}/start"), "")).await.cookie();
        let show = || get(&page).cookie(&cookie);
        let send = async |fields: &[(&str, &str)], question: &str| {
            site.send(form(format!("{page}/vote"), &answered(question, fields)).cookie(&cookie)).await
        };
        let question = site.send(show()).await.text;
        assert!(question.contains(&format!("data-form=\"{form_name}\"")), "{question}");
        let screen: Value = serde_json::from_str(&field(&question, "screen")).unwrap();
        let option = screen["options"][1].to_string();
        let first = match form_name {
            "pick" => send(&[("answer", &option)], &question).await,
            "tick" => {
                let nothing = send(&[("answer", "ticked")], &question).await;
                assert_eq!(nothing.header("location"), format!("{page}?notice=tick"));
                send(&[("tick", &option), ("answer", "ticked")], &question).await
            }
            _ => {
                let unknown = send(&[("under", "no such thing"), ("answer", "under")], &question).await;
                assert_eq!(unknown.header("location"), format!("{page}?notice=unknown"));
                let all = site.send(get(format!("{page}/places")).cookie(&cookie)).await.text;
                assert!(
                    all.contains("Directly under food") && all.matches("<li ").count() == FOOD.len() - 1,
                    "{all}"
                );
                let list = site.send(get(format!("{page}/places.json")).cookie(&cookie)).await.json();
                assert_eq!(list.as_array().unwrap().len(), FOOD.len());
                send(&[("answer", "top")], &question).await
            }
        };
        assert_eq!((first.status, first.header("location")), (StatusCode::SEE_OTHER, page.as_str()));
        let undone = site.send(form(format!("{page}/undo"), "").cookie(&cookie)).await;
        assert_eq!(undone.header("location"), format!("{page}?notice=undone"));
        let again = site.send(get(format!("{page}?notice=undone")).cookie(&cookie)).await.text;
        assert_eq!(field(&again, "screen"), field(&question, "screen"), "the question comes back");
        assert!(again.contains("Here is the question again"), "{again}");
        send(&[("answer", if form_name == "place" { "cant_say" } else { "none" })], &again).await;
        let votes = site.store().workers(campaign).await.unwrap();
        assert_eq!((votes[0].votes, votes[0].withdrawn), (1, 1));
    }
    // Only those who place concepts may see them all.
    let campaign = site.campaign(ann, &FOOD).await;
    let (_, invitation) = site.invitation(campaign).await;
    let cookie = site.send(form(format!("/w/{invitation}/start"), "")).await.cookie();
    assert_eq!(
        site.send(get(format!("/w/{invitation}/places.json")).cookie(&cookie)).await.status,
        StatusCode::FORBIDDEN
    );
}

/// A script gets the next screen with the response to its answer, and one more ahead.
#[tokio::test]
async fn the_next_screen_comes_with_the_answer() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let campaign = site.campaign(ann, &FOOD).await;
    let (_, invitation) = site.invitation(campaign).await;
    let page = format!("/w/{invitation}");
    let cookie = site.send(form(format!("{page}/start"), "")).await.cookie();
    let mut question = site.send(get(&page).cookie(&cookie)).await.text;
    for count in 1..=4 {
        let (now, template) = question.split_once("<template").expect("a screen ahead");
        let ahead = field(template, "screen");
        assert_ne!(field(now, "screen"), ahead);
        let body = answered(now, &[("answer", "no"), ("took_ms", "1500"), ("ahead", &ahead)]);
        let sent = form(format!("{page}/vote"), &body).cookie(&cookie).with("grove-script", "1");
        let response = site.send(sent).await;
        assert_eq!(response.status, StatusCode::OK, "{}", response.text);
        assert_eq!(field(&response.text, "screen"), ahead, "what was sent ahead is shown");
        assert!(response.text.contains(&format!("Answered: {count}")));
        question = response.text;
    }
    let votes = site
        .store()
        .votes_of(campaign, &site.store().workers(campaign).await.unwrap()[0].worker)
        .await
        .unwrap();
    assert!(votes.iter().all(|vote| vote.took_ms == Some(1_500)) && votes.len() == 4);
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
        let body = answered(&question, &[("answer", "no")]);
        site.send(form(format!("{page}/vote"), &body).cookie(&cookie)).await;
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
    let shown = site.send(get(&page).cookie(&cookie)).await.text;
    assert!(shown.contains("<template id=\"ahead\">"), "with a screen ahead");
    let mut all = shown.len();
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

/// Nobody votes on what they were not asked, however they guess.
#[tokio::test]
async fn votes_need_a_ticket() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let campaign = site.campaign(ann, &FOOD).await;
    let (_, invitation) = site.invitation(campaign).await;
    let bob = Program { site: &site, invitation, worker: "the secret of bob" };
    let asked = bob.next().await;
    for upper in 1..=FOOD.len() {
        for lower in (1..=FOOD.len()).filter(|lower| *lower != upper) {
            for ticket in [value!(null), asked["ticket"].clone()] {
                let question = value!({"kind": "path", "upper": upper, "lower": lower, "ticket": ticket});
                if question["ticket"] == asked["ticket"]
                    && [&question["upper"], &question["lower"]] == [&asked["upper"], &asked["lower"]]
                {
                    continue;
                }
                let refused = bob.post("votes", &vote(Uuid::now_v7(), &question, "yes")).await;
                assert_eq!(refused.status, StatusCode::FORBIDDEN, "{question}");
                assert_eq!(refused.json()["error"], "bad_ticket");
            }
        }
    }
    assert_eq!(bob.post("votes", &vote(Uuid::now_v7(), &asked, "yes")).await.status, StatusCode::OK);
    assert_eq!(site.store().workers(campaign).await.unwrap()[0].votes, 1);
}

#[tokio::test]
async fn a_full_study_says_so() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    for (language, text) in [
        ("en", "This study is full"),
        ("de", "Diese Studie ist voll"),
        ("fr", "Cette étude est complète"),
        ("ar", "اكتملت هذه الدراسة"),
    ] {
        let settings = value!({"budget": {"votes": 1, "cents": null}, "language": language});
        let settings = Settings::new(Preset::Paper).over(&settings).unwrap();
        let concepts: Vec<NewConcept> = FOOD.iter().map(|name| NewConcept::named(name)).collect();
        let campaign = site.create(ann, language, settings, &concepts).await;
        let (_, invitation) = site.invitation(campaign).await;
        let page = format!("/w/{invitation}");
        let cookie = site.send(form(format!("{page}/start"), "")).await.cookie();
        let question = site.send(get(&page).cookie(&cookie)).await.text;
        let bob = Program { site: &site, invitation: invitation.clone(), worker: "the secret of bob" };
        let eve = Program { site: &site, invitation, worker: "the secret of eve" };
        let [first, second] = [bob.next().await, eve.next().await];
        assert_eq!(bob.post("votes", &vote(Uuid::now_v7(), &first, "yes")).await.status, StatusCode::OK);
        let refused = eve.post("votes", &vote(Uuid::now_v7(), &second, "yes")).await;
        assert_eq!((refused.status, &refused.json()["error"]), (StatusCode::CONFLICT, &value!("full")));
        // On the page nobody sees an error.
        let body = answered(&question, &[("answer", "yes")]);
        let sent = form(format!("{page}/vote"), &body).cookie(&cookie).with("grove-script", "1");
        let told = site.send(sent).await;
        assert!(told.status == StatusCode::OK && told.text.contains(text), "{}", told.text);
        assert_eq!(site.store().campaign(campaign).await.unwrap().votes, 1);
    }
}

#[tokio::test]
async fn owners_exclude_workers_and_links_and_limit_links() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let campaign = site.campaign(ann, &FOOD).await;
    let (_, token) = site.token(ann).await;
    let api = |method: &'static str, path: String, body: Value| {
        json(method, format!("/api/v1/campaigns/{campaign}/{path}"), &body).bearer(&token)
    };
    let new = value!({"label": "posted", "hours": 1, "most_workers": 1, "most_votes": 2});
    let made = site.send(api("POST", "invitations".into(), new)).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text);
    let (id, invitation) =
        (made.json()["id"].as_str().unwrap().to_owned(), made.json()["invitation"].clone());
    let invitation = invitation.as_str().unwrap().to_owned();
    let bob = Program { site: &site, invitation: invitation.clone(), worker: "the secret of bob" };
    let eve = Program { site: &site, invitation, worker: "the secret of eve" };
    let held = eve.next().await;
    let asked = bob.next().await;
    assert_eq!(bob.post("votes", &vote(Uuid::now_v7(), &asked, "yes")).await.status, StatusCode::OK);
    // The link is for one person, who is bob now.
    let refused = eve.post("votes", &vote(Uuid::now_v7(), &held, "yes")).await;
    assert_eq!((refused.status, &refused.json()["error"]), (StatusCode::CONFLICT, &value!("full")));
    assert_eq!(eve.post("next", &value!({})).await.json()["status"], "link_used_up");
    let asked = bob.next().await;
    assert_eq!(bob.post("votes", &vote(Uuid::now_v7(), &asked, "no")).await.status, StatusCode::OK);
    assert_eq!(bob.post("next", &value!({})).await.json()["status"], "link_used_up", "two votes and no more");
    let listed = site.send(api("GET", "invitations".into(), value!(null))).await.json()[0].clone();
    assert_eq!(
        (&listed["workers"], &listed["votes"], &listed["most_votes"]),
        (&value!(1), &value!(2), &value!(2))
    );

    let workers = async || site.send(api("GET", "workers".into(), value!(null))).await.json()[0].clone();
    let worker = workers().await["worker"].as_str().unwrap().to_owned();
    for (path, is_link) in [(format!("workers/{worker}"), false), (format!("invitations/{id}"), true)] {
        for (action, excluded) in [("exclude", 2), ("exclude", 2), ("include", 0)] {
            let done = site.send(api("POST", format!("{path}/{action}"), value!(null))).await;
            assert_eq!(done.status, StatusCode::NO_CONTENT, "{}", done.text);
            let found = workers().await;
            assert_eq!(found["excluded"], excluded, "{found}");
            assert_eq!(found["is_excluded"], value!(excluded > 0 && !is_link));
        }
    }
    for path in ["workers/nobody", "invitations/00000000-0000-7000-8000-000000000000"] {
        let unknown = site.send(api("POST", format!("{path}/exclude"), value!(null))).await;
        assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    }
    let bad = value!({"label": "", "most_workers": 0});
    assert_eq!(site.send(api("POST", "invitations".into(), bad)).await.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_link_that_has_expired_says_so_to_workers_and_to_the_owner() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let campaign = site.campaign(ann, &FOOD).await;
    let cookie = site.session(ann).await;
    let secret = Secret::new().unwrap();
    let link = Credential {
        id: CredentialId(Uuid::now_v7()),
        purpose: Purpose::Invitation(campaign),
        label: "for a day".to_owned(),
        created: Moment(0),
        until: Some(Moment(1)),
        revoked: None,
    };
    let id = link.id;
    site.store().add_credential(link, secret.hash()).await.unwrap();
    let work = || site.send(get(format!("/w/{}", secret.as_str())));
    let expired = work().await;
    assert_eq!(expired.status, StatusCode::NOT_FOUND);
    assert!(expired.text.contains("This link has expired"), "{}", expired.text);
    let invite = site.send(get(format!("/campaigns/{campaign}/invite")).cookie(&cookie)).await.text;
    assert!(invite.contains(">Expired<") && !invite.contains("Revoke the link for a day"), "{invite}");
    site.store().revoke_credential(id, site.now()).await.unwrap();
    assert!(work().await.text.contains("This link no longer works"));
}
