use grove_store::{Actor, Answer, Correction, CorrectionId, Event, ModelCap};
use uuid::Uuid;

use crate::concurrency::model_call;
use crate::fixture::{Fixture, NOW, path, vote};

async fn fill(fixture: &Fixture) {
    let campaign = fixture.campaign(3).await;
    let first = vote("ann", path(1, 2), Answer::Yes);
    fixture.store.cast(campaign, NOW, first.clone()).await.unwrap();
    fixture.store.cast(campaign, NOW, vote("bob", path(1, 2), Answer::No)).await.unwrap();
    fixture.store.withdraw(campaign, NOW, Actor::Grove, first.id).await.unwrap();
    let correction = CorrectionId(Uuid::now_v7());
    let made = Event::CorrectionMade { id: correction, correction: Correction::TopLevel { concept: 1 } };
    fixture.store.append(campaign, NOW, Actor::Grove, vec![made]).await.unwrap();
    fixture.store.reserve_call(model_call(campaign, 10), ModelCap::default()).await.unwrap();
}

pub(crate) async fn an_intact_store_has_no_findings(fixture: &Fixture) {
    fill(fixture).await;
    assert_eq!(fixture.store.doctor().await.unwrap(), []);
}

/// Each fault is found on its own, and nothing is found after it is undone.
pub(crate) async fn the_doctor_finds_planted_faults(fixture: &Fixture) {
    let faults = [
        (
            "a gap",
            "UPDATE log SET position = position + 1 WHERE position = 7",
            "UPDATE log SET position = 7 WHERE position = 8",
        ),
        ("a wrong head", "UPDATE campaigns SET head = head + 1", "UPDATE campaigns SET head = head - 1"),
        (
            "a wrong number of concepts",
            "UPDATE campaigns SET concepts = 2",
            "UPDATE campaigns SET concepts = 3",
        ),
        ("a belief that is ahead", "UPDATE campaigns SET advanced = 1", "UPDATE campaigns SET advanced = 0"),
        (
            "a changed screen",
            "UPDATE votes SET screen = 'pick 2 1,3' WHERE worker = 'bob'",
            "UPDATE votes SET screen = 'path 1 2' WHERE worker = 'bob'",
        ),
        (
            "a changed worker",
            "UPDATE votes SET worker = 'eve' WHERE worker = 'bob'",
            "UPDATE votes SET worker = 'bob' WHERE worker = 'eve'",
        ),
        (
            "a lost withdrawal",
            "UPDATE votes SET withdrawn = NULL WHERE worker = 'ann'",
            "UPDATE votes SET withdrawn = 6 WHERE worker = 'ann'",
        ),
        (
            "a correction undone by nobody",
            "UPDATE corrections SET taken_back = 3",
            "UPDATE corrections SET taken_back = NULL",
        ),
        (
            "spending of a model that no question explains",
            "UPDATE model_spending SET tokens = tokens - 1",
            "UPDATE model_spending SET tokens = tokens + 1",
        ),
        (
            "an entry that is no JSON",
            "UPDATE log SET body = 'x' || body WHERE position = 2",
            "UPDATE log SET body = substr(body, 2) WHERE position = 2",
        ),
    ];
    fill(fixture).await;
    for (fault, plant, undo) in faults {
        fixture.sql(plant).await;
        assert_ne!(fixture.store.doctor().await.unwrap(), [], "{fault} is not found");
        fixture.sql(undo).await;
        assert_eq!(fixture.store.doctor().await.unwrap(), [], "after {fault}");
    }
    fixture.sql("DELETE FROM votes WHERE worker = 'bob'").await;
    assert_ne!(fixture.store.doctor().await.unwrap(), [], "a lost vote is not found");
}
