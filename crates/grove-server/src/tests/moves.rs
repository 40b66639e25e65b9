//! Moves are atomic: a refused move changes nothing, and a move leaves other corrections alone.

use axum::http::StatusCode;
use serde_json::{Value, json as value};
use uuid::Uuid;

use super::{FOOD, Site, TestRequest, form, get, json};

/// Pins brie under cheese, forbids fruit, and then moves brie to fruit and to pear; `mv` makes the request for a move.
async fn move_brie(mv: impl Fn(&str, u32) -> TestRequest, moved: StatusCode) {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let campaign = site.campaign(ann, &FOOD).await;
    let (_, token) = site.token(ann).await;
    let cookie = site.session(ann).await;
    let path = format!("/campaigns/{campaign}");
    let corrections = format!("/api/v1{path}/corrections");
    let standing = async || -> Vec<Value> {
        let all = site.send(get(&corrections).bearer(&token)).await.json();
        let relevant = |one: &Value| value!([one["rule"], one["upper"]]);
        let mut all: Vec<Value> = all.as_array().unwrap().iter().map(relevant).collect();
        all.sort_by_key(Value::to_string);
        all
    };
    // Pages send a session, programs a token; the request needs one of them only.
    let send = async |upper| {
        let request = mv(&path, upper);
        let request =
            if request.path.starts_with("/api") { request.bearer(&token) } else { request.cookie(&cookie) };
        site.send(request).await
    };
    assert_eq!(send(1).await.status, moved);
    let forbid = value!({"id": Uuid::now_v7(), "rule": "not_under", "lower": 2, "upper": 3});
    assert_eq!(
        site.send(json("POST", &corrections, &forbid).bearer(&token)).await.status,
        StatusCode::NO_CONTENT
    );
    let before = [value!(["directly_under", 1]), value!(["not_under", 3])];
    assert_eq!(standing().await, before);

    assert_eq!(send(3).await.status, StatusCode::CONFLICT);
    assert_eq!(standing().await, before, "a refused move keeps the pin");
    assert_eq!(send(5).await.status, moved);
    assert_eq!(standing().await, [value!(["directly_under", 5]), value!(["not_under", 3])]);
    assert_eq!(send(0).await.status, moved);
    assert_eq!(standing().await, [value!(["not_under", 3]), value!(["top_level", null])]);
}

#[tokio::test]
async fn a_refused_move_through_the_page_keeps_the_pin() {
    let mv = |path: &str, upper| {
        form(format!("{path}/correct"), &format!("id={}&rule=pin&lower=2&upper={upper}", Uuid::now_v7()))
    };
    move_brie(mv, StatusCode::SEE_OTHER).await;
}

#[tokio::test]
async fn a_refused_move_through_the_api_keeps_the_pin() {
    let mv = |path: &str, upper| {
        json(
            "POST",
            format!("/api/v1{path}/concepts/2/move"),
            &value!({"id": Uuid::now_v7(), "upper": upper}),
        )
    };
    move_brie(mv, StatusCode::NO_CONTENT).await;
}
