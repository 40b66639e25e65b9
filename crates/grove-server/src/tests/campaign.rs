//! From concepts to a hierarchy, through the API and through the pages.

use std::time::Duration;

use std::sync::Arc;

use axum::http::StatusCode;
use grove_campaign::SystemClock;
use grove_campaign::operations::{Caller, Workspace};
use grove_store::Position;
use serde_json::{Value, json as value};
use uuid::Uuid;

use super::{FOOD, Site, TestRequest, form, get, json};

#[tokio::test]
async fn a_campaign_through_the_api() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let (_, token) = site.token(ann).await;
    let concepts: Vec<Value> = FOOD.iter().map(|name| value!({"name": name})).collect();
    let new =
        value!({"name": "food", "settings": {"root": "food", "price_cents": 2.5}, "concepts": concepts});
    let post =
        |path: &str, body: &Value| json("POST", format!("/api/v1/campaigns{path}"), body).bearer(&token);
    let made = site.send(post("", &new)).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text);
    assert_eq!(site.send(post("", &new)).await.status, StatusCode::CONFLICT, "the name is taken");
    let id = made.json()["id"].as_str().unwrap().to_owned();
    let at = |rest: &str| format!("/{id}{rest}");
    let read = |rest: &str| get(format!("/api/v1/campaigns{}", at(rest))).bearer(&token);

    let mut text = "worker,upper,lower,answer\n".to_owned();
    for worker in ["w1", "w2", "w3"] {
        for (upper, lower) in [("cheese", "brie"), ("fruit", "apple"), ("fruit", "pear")] {
            text.push_str(&format!("{worker},{upper},{lower},yes\n{worker},{lower},{upper},no\n"));
        }
        text.push_str(&format!("{worker},fruit,cheese,no\n{worker},cheese,fruit,no\n"));
    }
    let imported = site.send(post(&at("/votes/import"), &value!({"name": "v.csv", "text": text}))).await;
    assert_eq!(imported.json(), value!({"votes": 24, "repeated": 0}), "{}", imported.text);
    let running = site.running(grove_store::CampaignId(id.parse().unwrap())).await;
    running.settle().await.unwrap();
    // A report may find that the trees need more sweeps, and the next is on the trees after them.
    while running.check().await.unwrap() {}

    let campaign = site.send(read("")).await.json();
    assert_eq!((&campaign["votes"], &campaign["spent_cents"]), (&value!(24), &value!(60.0)), "{campaign}");
    let hierarchy = site.send(read("/hierarchy")).await.json();
    let parent_of = |hierarchy: &Value, number: usize| hierarchy["concepts"][number - 1]["parent"].clone();
    assert_eq!([2, 4, 5].map(|number| parent_of(&hierarchy, number)), [1, 3, 3].map(|parent| value!(parent)));
    let why = site.send(read("/why/2")).await.json();
    assert_eq!((why["direct"].as_array().unwrap().len(), &why["parent"]), (6, &value!(1)), "{why}");
    let workers = site.send(read("/workers")).await.json();
    assert_eq!((workers.as_array().unwrap().len(), &workers[0]["votes"]), (3, &value!(8)));
    assert_eq!(
        site.send(read("/payments")).await.json()[2],
        value!({"worker": "w3", "votes": 8, "cents": 20.0})
    );
    assert_eq!(site.send(read("/votes?limit=5&after=10")).await.json().as_array().unwrap().len(), 5);
    assert_eq!(site.send(read("/votes?limit=0")).await.status, StatusCode::BAD_REQUEST);
    assert_eq!(site.send(read("/votes?sort=worker")).await.status, StatusCode::BAD_REQUEST);
    let flat = site.send(read("/hierarchy?at=6")).await.json();
    assert_eq!(parent_of(&flat, 2), value!(0), "before any vote");
    assert!(!site.send(read("/curve")).await.json().as_array().unwrap().is_empty());
    assert_eq!(site.send(read("/report")).await.json()["votes"], value!(24));

    let pin = value!({"id": Uuid::now_v7(), "rule": "directly_under", "lower": 5, "upper": 1});
    assert_eq!(site.send(post(&at("/corrections"), &pin)).await.status, StatusCode::NO_CONTENT);
    assert_eq!(
        site.send(post(&at("/corrections"), &pin)).await.status,
        StatusCode::NO_CONTENT,
        "repeating changes nothing"
    );
    let clash = value!({"id": Uuid::now_v7(), "rule": "directly_under", "lower": 1, "upper": 5});
    assert_eq!(site.send(post(&at("/corrections"), &clash)).await.status, StatusCode::CONFLICT);
    let standing = site.send(read("/corrections")).await.json();
    assert_eq!((standing.as_array().unwrap().len(), &standing[0]["author"]), (1, &value!("ann")));
    assert_eq!(site.send(post(&at("/corrections/undo"), &value!({}))).await.status, StatusCode::NO_CONTENT);
    assert_eq!(site.send(post(&at("/corrections/undo"), &value!({}))).await.status, StatusCode::CONFLICT);

    let old = value!({"name": "old.paths", "text": "food > cheese\nfood > fruit > apple\nfood > pear\nfood > nut\n"});
    let compared = site.send(post(&at("/compare"), &old)).await.json();
    assert_eq!((&compared["shared"], &compared["same_parent"]), (&value!(4), &value!(3)), "{compared}");
    assert_eq!((&compared["only_here"], &compared["only_there"]), (&value!(["brie"]), &value!(["nut"])));

    let erase =
        json("DELETE", format!("/api/v1/campaigns{}", at("/workers/w1")), &value!(null)).bearer(&token);
    assert_eq!(site.send(erase).await.status, StatusCode::OK);
    let history = site.send(read("/history?limit=1000")).await.text;
    assert!(!history.contains("\"w1\"") && history.contains("\"w2\""));
    let delete = json("DELETE", format!("/api/v1/campaigns/{id}"), &value!(null)).bearer(&token);
    drop(running);
    assert_eq!(site.send(delete).await.status, StatusCode::NO_CONTENT);
    assert_eq!(site.send(read("")).await.status, StatusCode::NOT_FOUND);
}

/// Of 30 people, 18 say that a tomato is a fruit and 12 that it is a vegetable; nobody is asked about salt.
#[tokio::test]
async fn people_who_differ_are_told_from_missing_votes() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let (_, token) = site.token(ann).await;
    let names = ["fruit", "vegetable", "tomato", "apple", "carrot", "salt"];
    let campaign = site.campaign(ann, &names).await;
    let mut text = "worker,upper,lower,answer\n".to_owned();
    for person in 0..30 {
        let second = person % 5 >= 3;
        let asked = [
            ("fruit", "tomato", !second),
            ("vegetable", "tomato", second),
            ("fruit", "apple", person % 10 != 1),
            ("vegetable", "carrot", person % 10 != 2),
            ("vegetable", "apple", person % 10 == 4),
            ("fruit", "carrot", person % 10 == 6),
            ("fruit", "vegetable", person == 7),
            ("tomato", "apple", person == 8),
            ("apple", "tomato", person == 9),
            ("carrot", "tomato", person == 10),
        ];
        for (upper, lower, yes) in asked {
            text.push_str(&format!("p{person},{upper},{lower},{}\n", if yes { "yes" } else { "no" }));
        }
    }
    let api = format!("/api/v1/campaigns/{campaign}");
    let votes = value!({"name": "v.csv", "text": text});
    let imported = site.send(json("POST", format!("{api}/votes/import"), &votes).bearer(&token)).await;
    assert_eq!(imported.json()["votes"], 300, "{}", imported.text);
    let running = site.running(campaign).await;
    running.settle().await.unwrap();
    // It may take some sweeps until there is a report.
    while running.check().await.unwrap() {}

    let read = async |rest: &str| site.send(get(format!("{api}{rest}")).bearer(&token)).await.json();
    let hierarchy = read("/hierarchy").await;
    let of = |number: usize| &hierarchy["concepts"][number - 1];
    assert_eq!(of(4)["reason"], value!(["settled"]), "{hierarchy}");
    assert_eq!((&of(6)["reason"], &of(6)["places"]), (&value!(["unasked"]), &value!([])), "{hierarchy}");
    let why = read("/why/3").await;
    let report = read("/report").await;
    let unsettled = report["unsettled"].as_array().unwrap();
    let unsettled = unsettled.iter().find(|one| one["number"] == 3).unwrap();
    let doubtful = read("/doubtful").await;
    let doubtful = doubtful.as_array().unwrap().iter().find(|one| one["number"] == 3).unwrap();
    for tomato in [of(3), &why, unsettled, doubtful] {
        assert_eq!(tomato["reason"], value!(["differ"]), "{tomato}");
        let places = tomato["places"].as_array().unwrap();
        let parents: Vec<_> = places.iter().map(|place| place["parent"].as_u64().unwrap()).collect();
        assert_eq!(parents, [1, 2], "{tomato}");
        for (place, held) in places.iter().zip([0.6, 0.4]) {
            let [share, low, high] = ["share", "low", "high"].map(|field| place[field].as_f64().unwrap());
            assert!((share - held).abs() < 0.15 && low <= share && share <= high, "{tomato}");
        }
    }

    let cookie = site.session(ann).await;
    let page =
        async |rest: &str| site.send(get(format!("/campaigns/{campaign}{rest}")).cookie(&cookie)).await.text;
    let tree = page("").await;
    assert!(tree.contains("class=\"edge differ\"") && tree.contains("data-others=\"2\""), "{tree}");
    assert!(tree.contains("people differ</tspan>") && tree.contains("class=\"edge unasked\""), "{tree}");
    assert!(tree.contains(". People differ: ") && tree.contains(". Not asked: "), "{tree}");
    let panel = page("?select=3").await;
    let badge = "<span class=\"chip differ\">people differ</span>";
    assert!(panel.contains(badge) && panel.contains("where the share lies with a chance of 90 %"), "{panel}");
}

#[tokio::test]
async fn the_dashboard_applies_edits_and_reports_refusals() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let campaign = site.campaign(ann, &FOOD).await;
    let cookie = site.session(ann).await;
    let page = format!("/campaigns/{campaign}");
    let act = |action: &str, body: &str| form(format!("{page}{action}"), body).cookie(&cookie);
    let pin = format!("id={}&rule=pin&lower=2&to=Cheese", Uuid::now_v7());
    let pinned = site.send(act("/correct", &pin)).await;
    assert_eq!(pinned.status, StatusCode::SEE_OTHER);
    let there = pinned.header("location").to_owned();
    assert!(there.starts_with(&format!("{page}?select=2&done=")), "{there}");
    let told = site.send(get(&there).cookie(&cookie)).await.text;
    assert!(told.contains("Moved “brie” under “cheese”.") && told.contains("/undo\""), "{told}");
    let told = site.send(get(&page).cookie(&cookie)).await.text;
    assert!(told.contains("brie is directly under cheese"), "{told}");
    let past = site.send(get(format!("{page}/history")).cookie(&cookie)).await.text;
    assert!(past.contains("Moved “brie” under “cheese”") && past.contains("<bdi>ann</bdi>"), "{past}");
    let clash = format!("id={}&rule=pin&lower=1&upper=2", Uuid::now_v7());
    let refused = site.send(act("/correct", &clash)).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    assert!(refused.text.contains("id=\"move-error\"") && refused.text.contains("id=\"rows\""));
    let unknown =
        site.send(act("/correct", &format!("id={}&rule=pin&lower=1&to=chese", Uuid::now_v7()))).await;
    assert!(unknown.text.contains("did you mean"), "{}", unknown.status);
    for (action, body) in [
        ("/concepts", "names=plum%0Acherry"),
        ("/concepts/4/rename", "name=Apple+tree"),
        ("/concepts/4/describe", "definition=a+fruit"),
        ("/concepts/5/merge", "to=plum"),
        ("/concepts/7/remove", ""),
        ("/pause", ""),
    ] {
        let done = site.send(act(action, body)).await;
        assert_eq!(done.status, StatusCode::SEE_OTHER, "{action}: {}", done.text);
    }
    // The page draws what was believed last, so concepts that were merged or removed are gone once the belief has caught up.
    let mut told = site.send(get(format!("{page}?select=4")).cookie(&cookie)).await.text;
    for _ in 0..600 {
        if !told.contains("data-name=\"pear\"") && !told.contains("cherry") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        told = site.send(get(format!("{page}?select=4")).cookie(&cookie)).await.text;
    }
    assert!(told.contains("Apple tree") && told.contains("a fruit") && told.contains("plum"), "{told}");
    assert!(!told.contains("cherry") && !told.contains("data-name=\"pear\""), "{told}");
    assert!(told.contains("badge paused"), "{told}");
}

/// The form of a new campaign, with the usual forms of question ticked; a part called file is one.
fn new_campaign(parts: &[(&str, &str)]) -> TestRequest {
    let part = |(name, text): &(&str, &str)| {
        let file = if *name == "file" { "; filename=\"c.csv\"" } else { "" };
        format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n{text}\r\n")
    };
    let usual = [("people", "crowd"), ("yesno", "on"), ("pick", "on"), ("tick", "on")];
    let body = parts.iter().chain(&usual).map(part).collect::<String>() + "--x--\r\n";
    let mut request = form("/campaigns/new", &body);
    request.headers[0].1 = "multipart/form-data; boundary=x".to_owned();
    request
}

#[tokio::test]
async fn a_hierarchy_that_is_uploaded_is_a_start_and_the_reasons_say_so() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let (_, token) = site.token(ann).await;
    let cookie = site.session(ann).await;
    let table = "child,parent\ngarment,\njacket,garment\nleather jacket,jacket\nshoe,garment\nboot,shoe\n";
    let parts =
        [("title", "Wear"), ("root", "wear"), ("relation", "is-a"), ("language", "en"), ("file", table)];
    let post = |parts: &[(&str, &str)], action| {
        site.send(new_campaign(&[parts, &[("do", action)]].concat()).cookie(&cookie))
    };
    let preview = post(&parts, "preview").await.text;
    assert!(preview.contains("starts from the hierarchy"), "{preview}");
    let plain = post(&[&parts[..4], &[("concepts", "jacket\nshoe\n")]].concat(), "preview").await.text;
    assert!(!plain.contains("the hierarchy that they are in"), "{plain}");

    let made = post(&parts, "create").await;
    assert_eq!(made.status, StatusCode::SEE_OTHER, "{}", made.text);
    let invite = made.header("location").to_owned();
    let page = invite.trim_end_matches("/invite").to_owned();
    let id = page.rsplit('/').next().unwrap();
    let running = site.running(grove_store::CampaignId(id.parse().unwrap())).await;
    running.settle().await.unwrap();
    let at = |path: String| site.send(get(path).cookie(&cookie));
    for path in [&invite, &page] {
        let told = at(path.clone()).await.text;
        assert!(told.contains("of 5 places are doubtful"), "{told}");
    }
    let why = at(format!("{page}?select=3")).await.text;
    for said in [
        "Nobody's vote",
        "“leather jacket” under “jacket”",
        "the hierarchy at the start",
        "“jacket” is the head of “leather jacket”",
        "the names",
    ] {
        assert!(why.replace("&#39;", "'").contains(said), "{said}: {why}");
    }
    let why = site.send(get(format!("/api/v1{page}/why/3")).bearer(&token)).await.json();
    let hints = why["hints"].as_array().unwrap();
    for source in ["names", "hierarchy"] {
        let said = |hint: &&Value| hint["source"] == source && hint["upper"] == 2 && hint["lower"] == 3;
        let hint = hints.iter().find(said).unwrap_or_else(|| panic!("{source}: {why}"));
        assert!(hint["influence"].as_f64().unwrap() > 0.0, "{why}");
    }
}

#[tokio::test]
async fn a_new_campaign_can_be_previewed() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let cookie = site.session(ann).await;
    let multipart = |parts: &[(&str, &str)]| new_campaign(parts).cookie(&cookie);
    let usual = [
        ("title", "Käse"),
        ("root", "food"),
        ("relation", "own"),
        ("own", "Gehört {child} zu {parent}?"),
        ("language", "de"),
    ];
    let with = |more: &[(&'static str, &'static str)]| [&usual[..], more].concat();
    let preview = site
        .send(multipart(&with(&[("file", "name,definition\nbrie,weich\ngouda,\n"), ("do", "preview")])))
        .await;
    assert_eq!(preview.status, StatusCode::OK, "{}", preview.text);
    assert!(
        preview.text.contains("Gehört brie zu gouda?") && preview.text.contains("brie\tweich"),
        "{}",
        preview.text
    );
    assert!(!preview.text.contains("taken for each other"));
    let alike = site.send(multipart(&with(&[("concepts", "Käse\nKase\n"), ("do", "preview")]))).await.text;
    assert!(alike.contains("These names are easily confused"), "{alike}");
    assert!(site.store().campaigns_of(ann).await.unwrap().is_empty());
    let wrong = site.send(multipart(&with(&[("concepts", "brie\nBRIE\n"), ("do", "create")]))).await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
    assert!(
        wrong.text.contains("id=\"concepts-error\"") && wrong.text.contains("BRIE"),
        "the input is kept: {}",
        wrong.text
    );
    let made = site.send(multipart(&with(&[("concepts", "brie\ngouda\n"), ("do", "create")]))).await;
    assert_eq!(made.status, StatusCode::SEE_OTHER, "{}", made.text);
    // The first link is there, for the browser that made the campaign.
    let with_link = format!("{cookie}; {}", made.cookie());
    let invite = site.send(get(made.header("location")).cookie(&with_link)).await.text;
    assert!(invite.contains("http://127.0.0.1:8077/w/") && invite.contains("class=\"qr\""), "{invite}");
    assert!(site.send(get("/").cookie(&cookie)).await.text.contains("Käse"));
}

#[tokio::test]
async fn an_article_is_set_through_the_api() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let campaign = site.campaign(ann, &["historic feast", "feast"]).await;
    let (_, token) = site.token(ann).await;
    let path = format!("/api/v1/campaigns/{campaign}/concepts");
    let change = |body: Value| json("PATCH", format!("{path}/1"), &body).bearer(&token);
    assert_eq!(site.send(change(value!({"article": "an"}))).await.status, StatusCode::NO_CONTENT);
    let listed: Value =
        serde_json::from_str(&site.send(get(path.clone()).bearer(&token)).await.text).unwrap();
    assert_eq!((&listed[0]["article"], &listed[1]["article"]), (&value!("an"), &value!("")));
    assert_eq!(listed[0]["iri"], Value::Null);
    let asked = |campaign: &grove_campaign::Campaign| {
        let question = grove_store::Question { kind: grove_store::Kind::Path, upper: 2, lower: 1 };
        campaign.state().ask(question).unwrap().text
    };
    let running = site.running(campaign).await;
    running.settle().await.unwrap();
    assert_eq!(asked(&running), "Is an historic feast a kind of feast?");
    let both = change(value!({"name": "historic feasts", "article": "the"}));
    assert_eq!(site.send(both).await.status, StatusCode::NO_CONTENT);
    running.settle().await.unwrap();
    assert_eq!(asked(&running), "Are the historic feasts a kind of feast?");
    let wrong = site.send(change(value!({"article": "a".repeat(31)}))).await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST, "{}", wrong.text);
    // Of several changes, all are made or none.
    let taken = site.send(change(value!({"definition": "in the past", "name": "feast"}))).await;
    assert_eq!(taken.status, StatusCode::CONFLICT, "{}", taken.text);
    let listed = site.send(get(path.clone()).bearer(&token)).await.json();
    assert_eq!((&listed[0]["definition"], &listed[0]["name"]), (&value!(""), &value!("historic feasts")));
}

#[tokio::test]
async fn a_past_hierarchy_does_not_depend_on_the_path_to_it() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let campaign = site.campaign(ann, &FOOD).await;
    let (_, token) = site.token(ann).await;
    for (upper, lower) in [("cheese", "brie"), ("fruit", "apple"), ("fruit", "pear")] {
        let mut text = "worker,upper,lower,answer\n".to_owned();
        for worker in ["w1", "w2", "w3"] {
            text.push_str(&format!("{worker},{upper},{lower},yes\n{worker},{lower},{upper},no\n"));
        }
        let path = format!("/api/v1/campaigns/{campaign}/votes/import");
        let import = json("POST", path, &value!({"name": "v.csv", "text": text})).bearer(&token);
        assert_eq!(site.send(import).await.status, StatusCode::OK);
        site.running(campaign).await.settle().await.unwrap();
    }
    let head = site.store().campaign(campaign).await.unwrap().head.0;
    let site_access = site.app.workspace.campaign(Caller::local(), campaign).await.unwrap();
    let mut seen = Vec::new();
    for position in [head, 1, head / 2, head / 3, head / 2 + 1, 3, head - 1, 8].map(Position) {
        let there = site_access.hierarchy(Some(position)).await.unwrap();
        let fresh = Workspace::new(site.store().clone(), Arc::new(SystemClock));
        let fresh =
            fresh.open(Caller::local(), campaign).await.unwrap().hierarchy(Some(position)).await.unwrap();
        assert_eq!(there.hierarchy, fresh.hierarchy, "at {position:?}");
        assert_eq!((there.position, there.votes), (fresh.position, fresh.votes), "at {position:?}");
        seen.push(there.votes);
    }
    assert_eq!((seen[0], seen[1]), (18, 0));
    assert!(seen.iter().any(|votes| (1..18).contains(votes)), "{seen:?}");
}
