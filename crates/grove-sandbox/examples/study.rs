//! A study at the local Prolific by its API, as any client would see it: a draft, published, answered by one person and approved.

use grove_sandbox::{Sandbox, SandboxOptions};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::{Method, Request};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sandbox = Sandbox::start(SandboxOptions::default()).await?;
    println!("a local Prolific listens at {}", sandbox.url());

    let study = json!({
        "name": "Is a lime a fruit?",
        "internal_name": "example",
        "description": "Short questions about food.",
        "external_study_url": "http://127.0.0.1:9/?id={{%PROLIFIC_PID%}}&session={{%SESSION_ID%}}",
        "prolific_id_option": "url_parameters",
        "total_available_places": 3,
        "estimated_completion_time": 5,
        "reward": 101,
        "completion_codes": [{ "code": "C1", "code_type": "COMPLETED", "actions": [{ "action": "MANUALLY_REVIEW" }] }],
    });
    let draft = send(&sandbox, Method::POST, "/api/v1/studies/", study).await?;
    let id = draft["id"].as_str().ok_or("a study has an id")?;
    println!("study {id} is {}", draft["status"]);
    send(
        &sandbox,
        Method::POST,
        &format!("/api/v1/studies/{id}/transition/"),
        json!({ "action": "PUBLISH" }),
    )
    .await?;

    let visit = sandbox.take_place(id).ok_or("the study has places")?;
    println!("{} opens {}", visit.participant, visit.url);
    sandbox.hand_in(&visit.submission, "C1");
    let path = format!("/api/v1/submissions/{}/transition/", visit.submission);
    send(&sandbox, Method::POST, &path, json!({ "action": "APPROVE" })).await?;
    println!("rewards paid: {:?}", sandbox.ledger().rewards);
    Ok(())
}

async fn send(
    sandbox: &Sandbox,
    method: Method,
    path: &str,
    body: Value,
) -> Result<Value, Box<dyn std::error::Error>> {
    let request = Request::builder()
        .method(method)
        .uri(sandbox.url() + path)
        .header("authorization", format!("Token {}", sandbox.token()))
        .header("content-type", "application/json")
        .body(Full::new(Bytes::from(body.to_string())))?;
    let response = Client::builder(TokioExecutor::new()).build_http().request(request).await?;
    let status = response.status();
    let text = response.into_body().collect().await?.to_bytes();
    if !status.is_success() {
        return Err(format!("{path}: {status} {}", String::from_utf8_lossy(&text)).into());
    }
    Ok(serde_json::from_slice(&text)?)
}
