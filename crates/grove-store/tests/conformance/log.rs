use std::time::Duration;

use grove_store::{
    Actor, Answer, Claim, Correction, CorrectionId, Error, Event, HolderId, Position, Reply, Response,
    Screen, Snapshot, SubmittedVote, VoteId,
};
use serde_json::json;
use uuid::Uuid;

use crate::fixture::{Fixture, NOW, concept, path, vote, worker};

pub(crate) async fn a_vote_is_recorded_once(fixture: &Fixture) {
    let campaign = fixture.campaign(3).await;
    let first = vote("ann", path(1, 2), Answer::Yes);
    let receipt = fixture.store.cast(campaign, NOW, first.clone()).await.unwrap();
    assert_eq!((receipt.position, receipt.repeated), (Position(4), false));

    let again = fixture.store.cast(campaign, NOW, first.clone()).await.unwrap();
    assert_eq!((again.position, again.repeated), (Position(4), true));

    let mut other = first.clone();
    other.response.reply = Reply::No;
    assert!(matches!(fixture.store.cast(campaign, NOW, other.clone()).await, Err(Error::Conflict)));
    other.id = VoteId(Uuid::now_v7());
    let refusal = fixture.store.cast(campaign, NOW, other).await;
    assert!(matches!(refusal, Err(Error::AlreadyAnswered { vote, .. }) if vote == first.id));
    assert_eq!(fixture.store.campaign(campaign).await.unwrap().head, Position(4));

    // The same id in another campaign is another vote.
    let elsewhere = fixture.campaign(3).await;
    assert!(!fixture.store.cast(elsewhere, NOW, first).await.unwrap().repeated);
}

pub(crate) async fn a_withdrawn_vote_can_be_replaced(fixture: &Fixture) {
    let campaign = fixture.campaign(2).await;
    let first = vote("ann", path(1, 2), Answer::Yes);
    fixture.store.cast(campaign, NOW, first.clone()).await.unwrap();

    let stranger = Actor::Worker(worker("bob"));
    let refusal = fixture.store.withdraw(campaign, NOW, stranger, first.id).await;
    assert!(matches!(refusal, Err(Error::Unknown("vote"))));

    let ann = Actor::Worker(worker("ann"));
    let receipt = fixture.store.withdraw(campaign, NOW, ann.clone(), first.id).await.unwrap();
    let again = fixture.store.withdraw(campaign, NOW, ann, first.id).await.unwrap();
    assert_eq!((receipt.position, again.position, again.repeated), (Position(4), Position(4), true));

    let second = vote("ann", path(1, 2), Answer::No);
    fixture.store.cast(campaign, NOW, second.clone()).await.unwrap();
    // Sending the withdrawn vote again is a repeat, and does not restore it.
    assert!(fixture.store.cast(campaign, NOW, first.clone()).await.unwrap().repeated);
    let votes = fixture.store.votes_of(campaign, &worker("ann")).await.unwrap();
    let counted: Vec<_> =
        votes.iter().map(|stored| (stored.id, stored.response.clone(), stored.withdrawn)).collect();
    assert_eq!(counted, [(first.id, first.response, Some(Position(4))), (second.id, second.response, None)]);
    let tally = &fixture.store.workers(campaign).await.unwrap()[0];
    assert_eq!((tally.votes, tally.withdrawn), (1, 1));
}

pub(crate) async fn a_vote_is_replaced_in_one_step(fixture: &Fixture) {
    let campaign = fixture.campaign(3).await;
    let first = vote("ann", path(1, 2), Answer::Yes);
    fixture.store.cast(campaign, NOW, first.clone()).await.unwrap();
    let replace = async |replaced, by| fixture.store.replace_vote(campaign, NOW, replaced, by).await;

    // A replacement that is refused leaves the vote as it is.
    let nowhere = vote("ann", path(1, 9), Answer::No);
    assert!(matches!(replace(first.id, nowhere).await, Err(Error::BadConcept(9))));
    let stranger = vote("bob", path(1, 2), Answer::No);
    assert!(matches!(replace(first.id, stranger).await, Err(Error::Unknown("vote"))));
    let other = vote("ann", path(1, 3), Answer::Yes);
    fixture.store.cast(campaign, NOW, other.clone()).await.unwrap();
    let taken = vote("ann", path(1, 3), Answer::No);
    let refusal = replace(first.id, taken).await;
    assert!(matches!(refusal, Err(Error::AlreadyAnswered { vote }) if vote == other.id), "{refusal:?}");
    assert_eq!(fixture.store.vote(campaign, first.id).await.unwrap().unwrap().withdrawn, None);

    let second = vote("ann", path(1, 2), Answer::No);
    let receipt = replace(first.id, second.clone()).await.unwrap();
    assert_eq!((receipt.position, receipt.repeated), (Position(7), false));
    let again = replace(first.id, second.clone()).await.unwrap();
    assert_eq!((again.position, again.repeated), (Position(7), true));
    let third = vote("ann", path(1, 2), Answer::Yes);
    let refusal = replace(first.id, third).await;
    assert!(
        matches!(refusal, Err(Error::AlreadyAnswered { vote }) if vote == second.id),
        "of two replacements of one vote, the first stands: {refusal:?}"
    );
    let ann = Actor::Worker(worker("ann"));
    fixture.store.withdraw(campaign, NOW, ann, second.id).await.unwrap();
    let late = vote("ann", path(1, 2), Answer::Yes);
    assert!(matches!(replace(second.id, late).await, Err(Error::Unknown("vote"))));

    let votes = fixture.store.votes_of(campaign, &worker("ann")).await.unwrap();
    let withdrawn: Vec<_> = votes.iter().map(|stored| (stored.id, stored.withdrawn)).collect();
    assert_eq!(withdrawn, [(first.id, Some(Position(6))), (other.id, None), (second.id, Some(Position(8)))]);
    assert_eq!(fixture.store.doctor().await.unwrap(), []);
}

pub(crate) async fn appends_are_all_or_nothing(fixture: &Fixture) {
    let campaign = fixture.campaign(2).await;
    let events = vec![concept(3), Event::ConceptRemoved { concept: 9 }];
    let refusal = fixture.store.append(campaign, NOW, Actor::Grove, events).await;
    assert!(matches!(refusal, Err(Error::BadConcept(9))));
    let now = fixture.store.campaign(campaign).await.unwrap();
    assert_eq!((now.head, now.concepts), (Position(2), 2));
    assert_eq!(fixture.store.log(campaign, Position::START, 10).await.unwrap().len(), 2);
}

pub(crate) async fn impossible_events_are_refused(fixture: &Fixture) {
    let campaign = fixture.campaign(2).await;
    let append = async |event| fixture.store.append(campaign, NOW, Actor::Grove, vec![event]).await;
    assert!(matches!(append(concept(5)).await, Err(Error::WrongConceptNumber { expected: 3, found: 5 })));
    assert!(matches!(append(Event::ConceptsMerged { gone: 1, kept: 1 }).await, Err(Error::BadConcept(1))));
    assert!(matches!(append(Event::ConceptRemoved { concept: 0 }).await, Err(Error::BadConcept(0))));
    let lost = CorrectionId(Uuid::now_v7());
    assert!(matches!(
        append(Event::CorrectionTakenBack { correction: lost }).await,
        Err(Error::Unknown("correction"))
    ));
    let advanced = Event::Advanced { votes_to: Position(1), work: json!({}), epoch: 0 };
    assert!(matches!(append(advanced).await, Err(Error::NotAppended("advanced"))));

    for question in [path(1, 1), path(1, 0), path(3, 1), path(1, 3)] {
        let refusal = fixture.store.cast(campaign, NOW, vote("ann", question, Answer::Yes)).await;
        assert!(matches!(refusal, Err(Error::BadConcept(_))), "{question:?}");
    }
    fixture.store.cast(campaign, NOW, vote("ann", path(0, 1), Answer::Yes)).await.unwrap();
    let nowhere = grove_store::CampaignId(Uuid::now_v7());
    let refusal = fixture.store.cast(nowhere, NOW, vote("ann", path(1, 2), Answer::Yes)).await;
    assert!(matches!(refusal, Err(Error::UnknownCampaign(id)) if id == nowhere));
}

pub(crate) async fn entries_are_read_as_written(fixture: &Fixture) {
    let campaign = fixture.campaign(2).await;
    let correction = CorrectionId(Uuid::now_v7());
    let events = vec![
        Event::ConceptAdded {
            concept: 3,
            name: "Käse \u{1f9c0}".into(),
            definition: "'; DROP TABLE log; --".into(),
            synonyms: vec!["\"cheese\"".into(), "null\u{0}byte".into()],
            article: "l'".into(),
            origin: serde_json::json!({"iri": "https://example.org/k%C3%A4se"}),
        },
        Event::ConceptRenamed { concept: 1, name: "\u{202e}right to left".into() },
        Event::ConceptArticleSet { concept: 1, article: "plural".into() },
        Event::ConceptRedescribed { concept: 1, definition: String::new(), synonyms: Vec::new() },
        Event::CorrectionMade { id: correction, correction: Correction::NotUnder { lower: 1, upper: 2 } },
        Event::CorrectionTakenBack { correction },
        Event::SettingsChanged { settings: json!({"price": 0.05, "k": null, "deep": [[1, 2], {"x": "y"}]}) },
        Event::Paused { reason: "lunch".into() },
        Event::Resumed { reason: String::new() },
        Event::ConceptsMerged { gone: 3, kept: 1 },
        Event::Stopped { reason: "enough".into() },
    ];
    let owner = Actor::Owner(grove_store::OwnerId(Uuid::now_v7()));
    let receipts = fixture.store.append(campaign, NOW, owner.clone(), events.clone()).await.unwrap();
    assert_eq!(receipts.len(), events.len());

    let log = fixture.store.log(campaign, Position(2), 100).await.unwrap();
    let back: Vec<_> = log.iter().map(|entry| entry.event.clone()).collect();
    assert_eq!(back, events);
    for (entry, receipt) in log.iter().zip(&receipts) {
        assert_eq!((entry.position, entry.at, &entry.actor), (receipt.position, NOW, &owner));
    }
    let page = fixture.store.log(campaign, Position(4), 3).await.unwrap();
    assert_eq!(page.iter().map(|entry| entry.position.0).collect::<Vec<_>>(), [5, 6, 7]);
}

/// A program that is still running after a newer one has upgraded the database.
pub(crate) async fn an_upgraded_database_gets_no_entries(fixture: &Fixture) {
    let (store, campaign) = (&fixture.store, fixture.campaign(9).await);
    let first = vote("ann", path(1, 2), Answer::Yes);
    store.cast(campaign, NOW, first.clone()).await.unwrap();
    let claim = Claim { holder: HolderId(Uuid::now_v7()), name: "old".into(), term: Duration::from_secs(9) };
    let epoch = store.hold_belief(campaign, claim.clone(), NOW).await.unwrap().epoch;
    let before = store.campaign(campaign).await.unwrap();

    fixture.sql("UPDATE grove_schema SET version = 99").await;
    // One vote, and several that share a transaction.
    for lowers in [3..=3, 4..=9] {
        let votes = lowers.map(|lower| {
            let (store, vote) = (store.clone(), vote("ann", path(1, lower), Answer::Yes));
            tokio::spawn(async move { store.cast(campaign, NOW, vote).await })
        });
        for result in votes.collect::<Vec<_>>() {
            let result = result.await.unwrap();
            assert!(matches!(result, Err(Error::NewerSchema { found: 99, known: 6 })), "{result:?}");
        }
    }
    let results = [
        store.append(campaign, NOW, Actor::Grove, vec![concept(10)]).await.map(drop),
        store.withdraw(campaign, NOW, Actor::Grove, first.id).await.map(drop),
        store.advance(campaign, NOW, (claim.holder, epoch), Position(1), json!({})).await.map(drop),
        store
            .erase_worker(campaign, NOW, Actor::Grove, &first.response.worker, worker("erased"))
            .await
            .map(drop),
        store.hold_belief(campaign, claim.clone(), NOW).await.map(drop),
    ];
    for result in results {
        assert!(matches!(result, Err(Error::NewerSchema { .. })), "{result:?}");
    }
    assert_eq!(store.campaign(campaign).await.unwrap(), before);
    assert_eq!(store.log(campaign, Position::START, 100).await.unwrap().len(), 10);
    // The newer program need not wait for the belief.
    store.release_belief(campaign, claim.holder).await.unwrap();

    fixture.sql("UPDATE grove_schema SET version = 3").await;
    store.cast(campaign, NOW, vote("ann", path(1, 3), Answer::Yes)).await.unwrap();
    assert_eq!(store.doctor().await.unwrap(), []);
}

pub(crate) async fn corrections_are_recorded_once(fixture: &Fixture) {
    let campaign = fixture.campaign(3).await;
    let correction = CorrectionId(Uuid::now_v7());
    let append = async |event| fixture.store.append(campaign, NOW, Actor::Grove, vec![event]).await;
    let made = |lower| Event::CorrectionMade {
        id: correction,
        correction: Correction::DirectlyUnder { lower, upper: 3 },
    };
    let first = append(made(1)).await.unwrap()[0];
    let again = append(made(1)).await.unwrap()[0];
    assert_eq!((again.position, again.repeated), (first.position, true));
    assert!(matches!(append(made(2)).await, Err(Error::Conflict)));
    let back = append(Event::CorrectionTakenBack { correction }).await.unwrap()[0];
    let again = append(Event::CorrectionTakenBack { correction }).await.unwrap()[0];
    assert_eq!((again.position, again.repeated), (back.position, true));
}

/// Screens of every form, and a reply to each.
pub(crate) fn every_form() -> [(Screen, Reply); 4] {
    [
        (path(1, 2).into(), Reply::No),
        (Screen::pick(2, vec![4, 1, 3]).unwrap(), Reply::Picked(1)),
        (Screen::tick(1, vec![4, 2, 3]).unwrap(), Reply::Ticked(vec![3, 4])),
        (Screen::place(2).unwrap(), Reply::Under(1)),
    ]
}

/// One answer per worker and screen, whatever the order of its options; and what was shown is read as it was shown.
pub(crate) async fn every_form_is_recorded_once(fixture: &Fixture) {
    let campaign = fixture.campaign(4).await;
    let (ann, store) = (worker("ann"), &fixture.store);
    for (number, (screen, reply)) in every_form().into_iter().enumerate() {
        let response = Response::new(ann.clone(), screen.clone(), reply).unwrap();
        let took_ms = (number % 2 == 0).then_some(4_000);
        let cast = SubmittedVote { id: VoteId(Uuid::now_v7()), response, took_ms, link: None };
        assert!(!store.cast(campaign, NOW, cast.clone()).await.unwrap().repeated);
        // A repeat may have waited longer.
        let again = SubmittedVote { took_ms: Some(9_000), ..cast.clone() };
        assert!(store.cast(campaign, NOW, again).await.unwrap().repeated);
        let other = Response { screen: screen.in_order(), reply: Reply::CantSay, worker: ann.clone() };
        let other = SubmittedVote::new(VoteId(Uuid::now_v7()), other);
        let refusal = store.cast(campaign, NOW, other.clone()).await;
        assert!(matches!(refusal, Err(Error::AlreadyAnswered { vote }) if vote == cast.id), "{refusal:?}");
        let stored = store.vote(campaign, cast.id).await.unwrap().unwrap();
        assert_eq!((&stored.response, stored.took_ms), (&cast.response, took_ms));
        // Withdrawn, and answered once more.
        store.withdraw(campaign, NOW, Actor::Worker(ann.clone()), cast.id).await.unwrap();
        store.cast(campaign, NOW, other).await.unwrap();
    }
    let shown = store.votes_of(campaign, &ann).await.unwrap();
    assert_eq!((shown.len(), store.count_votes_of(campaign, &ann).await.unwrap()), (8, 4));
    let log = store.log(campaign, Position(4), 100).await.unwrap();
    let cast = log.iter().filter(|entry| matches!(entry.event, Event::VoteCast(_))).count();
    assert_eq!((log.len(), cast), (12, 8), "one entry for each answer");
    assert_eq!(store.doctor().await.unwrap(), []);
    // Concepts that there are not, or that cannot be used.
    let screens = [
        (Screen::Pick { lower: 2, options: vec![1, 9] }, Reply::None),
        (Screen::Pick { lower: 2, options: vec![1, 0] }, Reply::None),
        (Screen::Place { lower: 0 }, Reply::Top),
        (Screen::Place { lower: 2 }, Reply::Under(9)),
        (Screen::Place { lower: 2 }, Reply::Under(0)),
        (Screen::Place { lower: 2 }, Reply::Under(2)),
    ];
    for (screen, reply) in screens {
        let response = Response { worker: worker("bob"), screen, reply };
        let vote = SubmittedVote::new(VoteId(Uuid::now_v7()), response);
        assert!(matches!(store.cast(campaign, NOW, vote).await, Err(Error::BadConcept(_))));
    }
}

pub(crate) async fn an_erased_worker_leaves_no_trace(fixture: &Fixture) {
    let campaign = fixture.campaign(4).await;
    let name = "mia.muster@example.org";
    for (upper, who) in [(1, name), (2, "other"), (3, name)] {
        fixture.store.cast(campaign, NOW, vote(who, path(upper, 4), Answer::Yes)).await.unwrap();
    }
    for (screen, reply) in every_form() {
        let response = Response::new(worker(name), screen, reply).unwrap();
        let vote = SubmittedVote::new(VoteId(Uuid::now_v7()), response);
        fixture.store.cast(campaign, NOW, vote).await.unwrap();
    }
    let before = fixture.store.log(campaign, Position::START, 100).await.unwrap();
    let snapshot = Snapshot { position: Position(7), at: NOW, bytes: name.as_bytes().to_vec() };
    fixture.store.save_snapshot(campaign, "belief", snapshot, 3).await.unwrap();

    let erase = async |who: &str, stand_in: &str| {
        let stand_in = worker(stand_in);
        fixture.store.erase_worker(campaign, NOW, Actor::Grove, &worker(who), stand_in).await
    };
    assert!(matches!(erase(name, "other").await, Err(Error::Conflict)));
    assert!(matches!(erase("nobody", "erased-1").await, Err(Error::Unknown("worker"))));
    assert_eq!(erase(name, "erased-1").await.unwrap().position, Position(12));

    let log = fixture.store.log(campaign, Position::START, 100).await.unwrap();
    let text = format!("{log:?}{:?}", fixture.store.workers(campaign).await.unwrap());
    assert!(!text.contains("mia"), "{text}");
    assert!(fixture.store.newest_snapshot(campaign, "belief", None).await.unwrap().is_none());
    let erased = Event::WorkerErased { stand_in: worker("erased-1"), first_vote: Some(Position(5)) };
    assert_eq!(log.last().unwrap().event, erased);
    // The log differs only in the name.
    let renamed = format!("{before:?}").replace(name, "erased-1");
    assert_eq!(format!("{:?}", &log[..before.len()]), renamed);
    assert_eq!(fixture.store.doctor().await.unwrap(), []);
    fixture.contains_no_trace_of("mia.muster").await;
}
