//! Requests are answered from the last published snapshot, without waiting for the belief, and all of them agree on the votes.

use std::time::Duration;

use axum::http::StatusCode;
use grove_campaign::Campaign;
use grove_store::CampaignId;
use serde_json::{Value, json as value};
use uuid::Uuid;

use super::{FOOD, Site, TestResponse, form, get, json};

const VOTES: [&str; 9] = [
    "w1,cheese,brie,yes",
    "w1,brie,cheese,no",
    "w1,fruit,apple,yes",
    "w2,cheese,brie,yes",
    "w2,fruit,pear,cant_say",
    "w2,fruit,cheese,no",
    "w3,cheese,brie,yes",
    "w3,pear,apple,yes",
    "w3,apple,pear,no",
];

/// A campaign with votes that the belief has read.
async fn voted(site: &Site, token: &str, campaign: CampaignId) -> Campaign {
    let text = format!("worker,upper,lower,answer\n{}\n", VOTES.join("\n"));
    let path = format!("/api/v1/campaigns/{campaign}/votes/import");
    let imported =
        site.send(json("POST", path, &value!({"name": "v.csv", "text": text})).bearer(token)).await;
    assert_eq!(imported.json()["votes"], VOTES.len(), "{}", imported.text);
    let campaign = site.running(campaign).await;
    campaign.settle().await.unwrap();
    campaign
}

#[tokio::test]
async fn no_page_waits_for_the_belief() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let id = site.campaign(ann, &FOOD).await;
    let (_, token) = site.token(ann).await;
    let cookie = site.session(ann).await;
    let (_, invitation) = site.invitation(id).await;
    let worker = site.send(form(format!("/w/{invitation}/start"), "")).await.cookie();
    let campaign = voted(&site, &token, id).await;

    // Whoever holds the belief keeps it from reading anything.
    let belief = campaign.follower().await.unwrap();
    let page = format!("/campaigns/{id}");
    let api = format!("/api/v1{page}");
    let mut requests = vec![
        get("/"),
        get(&page),
        get(format!("{page}?select=2")),
        get(format!("{page}/progress")),
        get(format!("{page}/workers")),
        get(&api).bearer(&token),
        get(format!("{api}/hierarchy")).bearer(&token),
        get(format!("{api}/why/2")).bearer(&token),
        get(format!("{api}/report")).bearer(&token),
        get(format!("{api}/export/csv")).bearer(&token),
        json("POST", format!("{api}/pause"), &value!({})).bearer(&token),
        json("POST", format!("{api}/resume"), &value!({})).bearer(&token),
    ];
    requests.push(get(format!("/w/{invitation}")).cookie(&worker));
    for request in requests {
        let path = request.path.clone();
        let sent = site.send(request.cookie(&cookie));
        let response = tokio::time::timeout(Duration::from_secs(10), sent).await;
        let response = response.unwrap_or_else(|_| panic!("{path} waits for the belief"));
        assert!(response.status.is_success(), "{path}: {} {}", response.status, response.text);
    }
    let why = site.send(get(format!("{page}?select=2&parent=1")).cookie(&cookie)).await.text;
    assert!(why.contains("Is brie a kind of cheese?") && why.contains("3 yes"), "{why}");
    drop(belief);
}

#[tokio::test]
async fn the_home_page_does_not_start_campaigns() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let id = site.campaign(ann, &FOOD).await;
    let (_, token) = site.token(ann).await;
    let cookie = site.session(ann).await;
    voted(&site, &token, id).await;
    site.app.workspace.stop_all().await;
    let home = site.send(get("/").cookie(&cookie)).await.text;
    assert!(home.contains("5 concepts · 9 votes"), "{home}");
    assert!(site.app.workspace.running().await.is_empty());
}

fn after<'t>(text: &'t str, start: &str) -> &'t str {
    let at = text.find(start).unwrap_or_else(|| panic!("no {start} in {text}"));
    text[at + start.len()..].trim_start()
}

fn number(text: &str) -> u64 {
    text.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap_or_else(|_| panic!("{text}"))
}

#[tokio::test]
async fn every_page_and_answer_counts_the_same_votes() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let id = site.campaign(ann, &FOOD).await;
    let (_, token) = site.token(ann).await;
    let cookie = site.session(ann).await;
    let (_, invitation) = site.invitation(id).await;
    let campaign = voted(&site, &token, id).await;
    let api = format!("/api/v1/campaigns/{id}");
    let work = |action: &str, body: &Value| {
        let request = json("POST", format!("/api/v1/work/{action}"), body).bearer(&invitation);
        site.send(request.with("grove-worker", "the secret of bob"))
    };
    // Three of the imported votes say that brie is a cheese; bob answers what he is asked.
    let mut is_cheese = 3;
    for answer in ["no", "yes"] {
        let asked = work("next", &value!({})).await.json()["screens"][0].clone();
        let mut vote = value!({"id": Uuid::now_v7(), "answer": answer});
        for part in ["kind", "upper", "lower", "ticket"] {
            vote[part] = asked[part].clone();
        }
        assert_eq!(work("votes", &vote).await.status, StatusCode::OK);
        if answer == "no" {
            assert_eq!(work("undo", &value!({})).await.status, StatusCode::OK);
        } else if (&asked["upper"], &asked["lower"]) == (&value!(1), &value!(2)) {
            is_cheese += 1;
        }
    }
    let merge = json("POST", format!("{api}/concepts/5/merge"), &value!({"into": 4})).bearer(&token);
    assert_eq!(site.send(merge).await.status, StatusCode::NO_CONTENT);
    campaign.settle().await.unwrap();
    campaign.check().await.unwrap();

    let read =
        async |path: &str| -> TestResponse { site.send(get(format!("{api}{path}")).bearer(&token)).await };
    let page = async |path: &str| -> String { site.send(get(path).cookie(&cookie)).await.text };
    let sum = |list: &Value| -> u64 {
        list.as_array().unwrap().iter().map(|one| one["votes"].as_u64().unwrap()).sum()
    };
    let at = format!("/campaigns/{id}");
    let payments = page(&format!("{at}/payments.csv")).await;
    let votes = read("/votes?limit=1000").await.json();
    let curve = read("/curve").await.json();
    let counts = [
        ("campaign", read("").await.json()["votes"].as_u64().unwrap()),
        ("workers", sum(&read("/workers").await.json())),
        ("payments", sum(&read("/payments").await.json())),
        ("votes", votes.as_array().unwrap().iter().filter(|vote| vote["withdrawn"] == false).count() as u64),
        ("curve", curve.as_array().unwrap().last().unwrap()["votes"].as_u64().unwrap()),
        ("report", read("/report").await.json()["votes"].as_u64().unwrap()),
        ("home page", number(after(&page("/").await, "4 concepts · "))),
        ("hierarchy page", number(after(&page(&at).await, "<dt>Votes</dt><dd>"))),
        ("progress page", number(after(&page(&format!("{at}/progress")).await, "<dt>Votes</dt><dd>"))),
        ("payment list", payments.lines().skip(1).map(|row| number(row.split(',').nth(1).unwrap())).sum()),
    ];
    assert!(counts.iter().all(|(_, count)| *count == 10), "{counts:?}");

    let brie = read("/hierarchy").await.json()["concepts"][1].clone();
    let why = read("/why/2").await.json();
    let direct = |answer: &str| {
        let direct = why["direct"].as_array().unwrap().iter();
        direct.filter(|vote| vote["upper"] == 1 && vote["lower"] == 2 && vote["answer"] == answer).count()
    };
    assert_eq!((&brie["yes"], &brie["no"]), (&value!(direct("yes")), &value!(direct("no"))), "{brie} {why}");
    assert_eq!((&brie["yes"], &brie["no"]), (&value!(is_cheese), &value!(0)), "{brie}");
    let exported = read("/export/csv").await.text;
    let row = exported.lines().find(|line| line.contains("brie")).unwrap();
    assert!(row.contains(&format!(",{is_cheese},0")), "{exported}");
}
