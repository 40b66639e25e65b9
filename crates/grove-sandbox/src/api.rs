//! The routes of the API, as the panel documents them.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, patch, post};
use serde_json::{Value, json};
use std::collections::HashMap;

use crate::Shared;
use crate::hooks::Subscription;
use crate::launch;
use crate::money::{cents_of, with_fees};
use crate::world::{Answer, Batch, refusal};

type App = State<Arc<Shared>>;

/// The most bonuses in one payment.
const MOST_BONUSES: usize = 200;

pub(crate) fn routes(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/api/v1/users/me/", get(me))
        .route("/api/v1/workspaces/{id}/balance/", get(balance))
        .route("/api/v1/study-cost-calculator/", post(price))
        .route("/api/v1/reward-recommendations/", get(recommendations))
        .route("/api/v1/studies/", post(create).get(studies))
        .route("/api/v1/studies/{id}/", patch(change).get(study))
        .route("/api/v1/studies/{id}/transition/", post(transition))
        .route("/api/v1/studies/{id}/cost/", get(cost))
        .route("/api/v1/studies/{id}/submissions/", get(submissions))
        .route("/api/v1/submissions/{id}/", get(submission))
        .route("/api/v1/submissions/{id}/transition/", post(submission_transition))
        .route("/api/v1/submissions/{id}/request-return/", post(request_return))
        .route("/api/v1/submissions/bonus-payments/", post(bonuses))
        .route("/api/v1/bulk-bonus-payments/{id}/pay/", post(pay))
        .route("/api/v1/hooks/secrets/", post(hook_secret))
        .route("/api/v1/hooks/subscriptions/", post(subscribe).get(subscriptions))
        .route("/api/v1/hooks/subscriptions/{id}/", post(confirm))
        .fallback(|| async { respond(refusal(404, "no such page")) })
        .layer(from_fn_with_state(shared.clone(), gate))
        // Public, and asked for without a token.
        .route("/.well-known/study/jwks.json", get(keys))
        .with_state(shared)
}

async fn keys(State(shared): App) -> Response {
    shared.world().key_requests += 1;
    shared.hold("GET /.well-known/study/jwks.json").await;
    let world = shared.world();
    if world.options.hides_keys {
        return bad_gateway();
    }
    respond((200, launch::public_keys(&world.options.key_id)))
}

/// Checks the token, and now and then behaves like a gateway in trouble, before or after the request is carried out.
async fn gate(State(shared): App, request: Request, next: Next) -> Response {
    let expected = format!("Token {}", shared.world().options.token);
    let given = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if given != Some(&expected) {
        // Like some servers, it repeats what it got.
        return respond(refusal(401, format!("Invalid token: {}", given.unwrap_or_default())));
    }
    let (is_bad, is_before) = {
        let mut world = shared.world();
        world.requests += 1;
        let per_mille = world.options.bad_gateways;
        (world.happens(per_mille), world.happens(500))
    };
    let asked = format!("{} {}", request.method(), request.uri().path());
    shared.hold(&asked).await;
    if shared.world().options.refused.as_ref().is_some_and(|refused| asked.ends_with(refused)) {
        return respond(refusal(403, "this is not allowed to this token"));
    }
    if is_bad && is_before {
        return bad_gateway();
    }
    let response = next.run(request).await;
    if is_bad { bad_gateway() } else { response }
}

fn bad_gateway() -> Response {
    let page = "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>";
    (StatusCode::BAD_GATEWAY, [(header::CONTENT_TYPE, "text/html")], page).into_response()
}

fn respond((status, body): Answer) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

fn parsed(body: &Bytes) -> Value {
    serde_json::from_slice(body).unwrap_or(Value::Null)
}

async fn me() -> Response {
    respond((200, json!({"id": "sandbox-researcher", "email": "researcher@example.org"})))
}

async fn balance(State(shared): App, Path(id): Path<String>) -> Response {
    let world = shared.world();
    if id != world.workspace {
        return respond(refusal(404, "no such workspace"));
    }
    let total = world.options.balance - world.ledger.charged;
    respond((
        200,
        json!({"currency_code": "GBP", "total_balance": total, "available_balance": world.available()}),
    ))
}

async fn price(State(shared): App, body: Bytes) -> Response {
    let body = parsed(&body);
    let number = |name: &str| body.get(name).and_then(Value::as_i64);
    let (Some(reward), Some(places)) = (number("reward"), number("total_available_places")) else {
        return respond(refusal(400, "reward and total_available_places are required"));
    };
    let total = shared.world().price(reward, u32::try_from(places).unwrap_or(0));
    respond((200, json!({"total_cost": total as f64})))
}

async fn recommendations() -> Response {
    respond((
        200,
        json!({"min_reward_per_hour": 800, "recommended_reward_per_hour": 1200, "currency_code": "GBP"}),
    ))
}

async fn create(State(shared): App, body: Bytes) -> Response {
    respond(shared.world().create_study(&parsed(&body)))
}

async fn studies(State(shared): App, Query(query): Query<HashMap<String, String>>) -> Response {
    let world = shared.world();
    let all = world.studies.keys().map(|id| world.study_json(id)).collect();
    respond(page(all, &query))
}

async fn study(State(shared): App, Path(id): Path<String>) -> Response {
    let json = shared.world().study_json(&id);
    respond(if json.is_null() { refusal(404, "no such study") } else { (200, json) })
}

async fn change(State(shared): App, Path(id): Path<String>, body: Bytes) -> Response {
    respond(shared.world().patch_study(&id, &parsed(&body)))
}

async fn transition(State(shared): App, Path(id): Path<String>, body: Bytes) -> Response {
    let body = parsed(&body);
    let action = body.get("action").and_then(Value::as_str).unwrap_or_default();
    respond(shared.world().change_study(&id, action))
}

async fn cost(State(shared): App, Path(id): Path<String>) -> Response {
    respond(shared.world().cost_json(&id))
}

async fn submissions(
    State(shared): App,
    Path(id): Path<String>,
    Query(query): Query<HashMap<String, String>>,
) -> Response {
    let world = shared.world();
    let of = world.submissions.iter().filter(|(_, one)| one.study == id);
    let all = of.map(|(id, _)| world.listed_json(id)).collect();
    respond(page(all, &query))
}

/// A page of a list; 404 past the end.
fn page(all: Vec<Value>, query: &HashMap<String, String>) -> Answer {
    let number =
        |name: &str, usual: usize| query.get(name).and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (number, size) = (number("page", 1).max(1), number("page_size", 20).clamp(1, 100));
    let first = (number - 1) * size;
    if first >= all.len() && number > 1 {
        return refusal(404, "Invalid page.");
    }
    let results: Vec<&Value> = all.iter().skip(first).take(size).collect();
    // Like the panel, it always names a next page when this one is full, even if that is past the end.
    let next = (results.len() == size).then(|| format!("?page={}&page_size={size}", number + 1));
    (200, json!({"results": results, "_links": {"next": {"href": next}}}))
}

async fn submission(State(shared): App, Path(id): Path<String>) -> Response {
    let json = shared.world().submission_json(&id);
    respond(if json.is_null() { refusal(404, "no such submission") } else { (200, json) })
}

async fn submission_transition(State(shared): App, Path(id): Path<String>, body: Bytes) -> Response {
    let body = parsed(&body);
    let action = body.get("action").and_then(Value::as_str).unwrap_or_default();
    respond(shared.world().change_submission(&id, action))
}

async fn request_return(State(shared): App, Path(id): Path<String>) -> Response {
    respond(shared.world().request_return(&id))
}

async fn bonuses(State(shared): App, body: Bytes) -> Response {
    let body = parsed(&body);
    let text = |name: &str| body.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (study, csv) = (text("study_id"), text("csv_bonuses"));
    let mut world = shared.world();
    let mut bonuses = Vec::new();
    for line in csv.lines().filter(|line| !line.trim().is_empty()) {
        let read =
            line.split_once(',').and_then(|(id, amount)| Some((id.trim().to_owned(), cents_of(amount)?)));
        let Some((id, cents)) = read else {
            return respond(refusal(400, format!("{line:?} is not a bonus")));
        };
        if world.submissions.get(&id).is_none_or(|one| one.study != study) {
            return respond(refusal(400, format!("{id} did not take part")));
        }
        if matches!(world.submissions[&id].status, "RETURNED" | "TIMED-OUT" | "REJECTED") {
            return respond(refusal(400, format!("{id} was not completed")));
        }
        bonuses.push((id, cents));
    }
    if bonuses.is_empty() || bonuses.len() > MOST_BONUSES {
        return respond(refusal(400, "a payment has 1 to 200 bonuses"));
    }
    let amount: i64 = bonuses.iter().map(|(_, cents)| cents).sum();
    let (fee, tax) = (world.options.fee_per_mille, world.options.tax_per_mille);
    let total: i64 = bonuses.iter().map(|(_, cents)| with_fees(*cents, fee, tax)).sum();
    let id = world.new_id();
    world.batches.insert(id.clone(), Batch { study: study.clone(), bonuses });
    respond((201, json!({"id": id, "study": study, "amount": amount, "total_amount": total})))
}

/// Pays every time it is asked: the client's journal must prevent a second request.
async fn pay(State(shared): App, Path(id): Path<String>) -> Response {
    let (bonuses, delay) = {
        let world = shared.world();
        let Some(batch) = world.batches.get(&id) else { return respond(refusal(404, "no such payment")) };
        let (fee, tax) = (world.options.fee_per_mille, world.options.tax_per_mille);
        let total: i64 = batch.bonuses.iter().map(|(_, cents)| with_fees(*cents, fee, tax)).sum();
        if total > world.available() || !world.studies.contains_key(&batch.study) {
            return respond(refusal(400, "not enough money in the workspace"));
        }
        (batch.bonuses.clone(), world.options.bonus_delay)
    };
    let paying = async move {
        tokio::time::sleep(delay).await;
        let mut world = shared.world();
        let (fee, tax) = (world.options.fee_per_mille, world.options.tax_per_mille);
        for (submission, cents) in bonuses {
            world.ledger.charged += with_fees(cents, fee, tax);
            world.ledger.bonuses.entry(submission).or_default().push(cents);
        }
    };
    if delay.is_zero() {
        paying.await;
    } else {
        tokio::spawn(paying);
    }
    respond((202, json!({})))
}

async fn hook_secret(State(shared): App, body: Bytes) -> Response {
    let mut world = shared.world();
    if parsed(&body).get("workspace_id").and_then(Value::as_str) != Some(&world.workspace) {
        return respond(refusal(404, "no such workspace"));
    }
    world.new_hook_secret();
    let id = world.new_id();
    respond((201, json!({"id": id, "value": world.hook_secret, "workspace_id": world.workspace})))
}

async fn subscriptions(State(shared): App, Query(query): Query<HashMap<String, String>>) -> Response {
    let world = shared.world();
    let all = world.subscriptions.iter().map(|one| {
        json!({
            "id": one.id, "event_type": one.event, "target_url": one.target, "is_enabled": one.is_confirmed,
            "workspace_id": world.workspace,
        })
    });
    respond(page(all.collect(), &query))
}

async fn subscribe(State(shared): App, body: Bytes) -> Response {
    let body = parsed(&body);
    let text = |name: &str| body.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut world = shared.world();
    let (id, confirmation) = (world.new_id(), world.new_id());
    world.subscriptions.push(Subscription {
        id: id.clone(),
        event: text("event_type"),
        target: text("target_url"),
        confirmation: confirmation.clone(),
        is_confirmed: false,
    });
    let mut response = respond((201, json!({"id": id, "is_enabled": false})));
    let mut headers = HeaderMap::new();
    if let Ok(value) = confirmation.parse() {
        headers.insert("x-hook-secret", value);
    }
    response.headers_mut().extend(headers);
    response
}

async fn confirm(State(shared): App, Path(id): Path<String>, body: Bytes) -> Response {
    let body = parsed(&body);
    let mut world = shared.world();
    let given = body.get("secret").and_then(Value::as_str).unwrap_or_default();
    match world.subscriptions.iter_mut().find(|one| one.id == id) {
        Some(one) if one.confirmation == given => {
            one.is_confirmed = true;
            respond((200, json!({"id": id, "is_enabled": true})))
        }
        Some(_) => respond(refusal(400, "the secret is wrong")),
        None => respond(refusal(404, "no such subscription")),
    }
}
