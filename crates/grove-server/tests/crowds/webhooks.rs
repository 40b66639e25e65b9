//! Webhooks that are duplicated, reordered and lost; and those that the panel never sent.

use std::time::{SystemTime, UNIX_EPOCH};

use grove_crowd::{Secret, sign};
use grove_sandbox::{HookFaults, SandboxOptions};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::world::World;

async fn final_states_are_equal(people: u32) {
    let hooks = HookFaults { duplicated: 300, reordered: 200, lost: 100 };
    let world =
        World::new(SandboxOptions { hooks, balance: 100_000_000, ..SandboxOptions::default() }, None).await;
    let (id, study) = world.study(8, people).await;
    world.subscribe().await;
    let access = world.access().await;
    let visits: Vec<_> = std::iter::from_fn(|| world.sandbox.take_place(&study)).collect();
    // Webhooks do not say of which study a submission is; the list does.
    access.sync_study(id).await.unwrap();
    for (at, visit) in visits.iter().enumerate() {
        match at % 10 {
            0 => world.sandbox.give_back(&visit.submission),
            1 => world.sandbox.time_out(&visit.submission),
            2 => {
                world.sandbox.time_out(&visit.submission);
                world.sandbox.hand_in(&visit.submission, "DONE1234");
            }
            3 => {}
            _ => {
                world.sandbox.hand_in(&visit.submission, "DONE1234");
            }
        }
    }
    world.sandbox.settle_hooks().await;
    let ours = access.panel(id).await.unwrap().strangers;
    let theirs = world.sandbox.submissions(&study);
    let agree = |ours: &[grove_store::StoredSubmission]| {
        theirs
            .iter()
            .filter(|one| ours.iter().any(|own| own.submission == one.id && own.status == one.status))
            .count()
    };
    // Nine in ten webhooks arrived, so most is known without asking; the rest is found by asking.
    assert!(agree(&ours) * 10 >= theirs.len() * 7, "{} of {}", agree(&ours), theirs.len());
    access.sync_study(id).await.unwrap();
    let ours = access.panel(id).await.unwrap().strangers;
    assert_eq!((agree(&ours), ours.len()), (theirs.len(), people as usize));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_and_reordered_webhooks_do_no_harm() {
    final_states_are_equal(60).await;
}

/// About 1,000 deliveries.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes half a minute"]
async fn long_lost_and_reordered_webhooks_do_no_harm() {
    final_states_are_equal(350).await;
}

/// Sends a webhook and returns the status of the answer.
async fn post(world: &World, connection: &str, headers: &[(&str, &str)], body: &str) -> u16 {
    let address = world.url.strip_prefix("http://").unwrap();
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let request = format!(
        "POST /api/hooks/{connection} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer.split(' ').nth(1).unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forged_stale_and_replayed_webhooks_change_nothing() {
    let world = World::new(SandboxOptions::default(), None).await;
    let (id, study) = world.study(8, 5).await;
    let access = world.access().await;
    let visit = world.sandbox.take_place(&study).unwrap();
    access.sync_study(id).await.unwrap();
    let status = || async { access.panel(id).await.unwrap().strangers[0].status.clone() };
    assert_eq!(status().await, "ACTIVE");
    let secret = Secret::new(&world.sandbox.hook_secret(), "the test").unwrap();
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let (now, old) = (seconds.to_string(), (seconds - 3_600).to_string());
    let at = |ahead: u64| ((seconds + ahead) * 1_000_000).to_string();
    let body = |status: &str| {
        format!(
            r#"{{"event_type":"submission.status.change","resource_id":"{}","participant_id":"{}","status":"{status}"}}"#,
            visit.submission, visit.participant
        )
    };
    let returned = body("RETURNED");
    let other = Secret::new("another-secret", "the test").unwrap();
    let forged = sign(&other, &now, returned.as_bytes());
    let stale = sign(&secret, &old, returned.as_bytes());
    let refused = [(&now, &forged), (&old, &stale), (&now, &stale)];
    for (timestamp, signature) in refused {
        let headers = [
            ("x-prolific-request-timestamp", timestamp.as_str()),
            ("x-prolific-request-signature", signature.as_str()),
            ("x-event-id", "e0"),
        ];
        assert_eq!(post(&world, "local", &headers, &returned).await, 403);
    }
    assert_eq!(post(&world, "local", &[], &returned).await, 403);
    assert_eq!(post(&world, "nobody", &[], &returned).await, 404);
    assert_eq!(status().await, "ACTIVE");

    let send = |text: String, event: &'static str, happened: String| {
        let (world, signature, now) = (&world, sign(&secret, &now, text.as_bytes()), now.clone());
        async move {
            let headers = [
                ("x-prolific-request-timestamp", now.as_str()),
                ("x-prolific-request-signature", signature.as_str()),
                ("x-event-id", event),
                ("x-timestamp", happened.as_str()),
            ];
            post(world, "local", &headers, &text).await
        }
    };
    assert_eq!(send(body("AWAITING REVIEW"), "e1", at(2)).await, 200);
    assert_eq!(status().await, "AWAITING REVIEW");
    // The same event again with another content is not taken in.
    assert_eq!(send(returned.clone(), "e1", at(3)).await, 200);
    assert_eq!(status().await, "AWAITING REVIEW");
    // One that happened before, under another id.
    assert_eq!(send(body("ACTIVE"), "e2", at(1)).await, 200);
    assert_eq!(status().await, "AWAITING REVIEW");
    // The control.
    assert_eq!(send(returned, "e3", at(4)).await, 200);
    assert_eq!(status().await, "RETURNED");
}
