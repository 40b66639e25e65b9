use grove_store::{Actor, Answer, Correction, CorrectionId, Error, Event, Position, Snapshot, VoteId};
use serde_json::json;
use uuid::Uuid;

use crate::bench::{Bench, NOW, concept, path, vote, worker};

pub(crate) async fn a_vote_is_recorded_once(bench: &Bench) {
    let campaign = bench.campaign(3).await;
    let first = vote("ann", path(1, 2), Answer::Yes);
    let receipt = bench.store.cast(campaign, NOW, first.clone()).await.unwrap();
    assert_eq!((receipt.position, receipt.repeated), (Position(4), false));

    let again = bench.store.cast(campaign, NOW, first.clone()).await.unwrap();
    assert_eq!((again.position, again.repeated), (Position(4), true));

    let mut other = first.clone();
    other.vote.answer = Answer::No;
    assert!(matches!(bench.store.cast(campaign, NOW, other.clone()).await, Err(Error::Conflict)));
    other.id = VoteId(Uuid::now_v7());
    let refusal = bench.store.cast(campaign, NOW, other).await;
    assert!(matches!(refusal, Err(Error::AlreadyAnswered { vote, .. }) if vote == first.id));
    assert_eq!(bench.store.campaign(campaign).await.unwrap().head, Position(4));

    // The same id in another campaign is another vote.
    let elsewhere = bench.campaign(3).await;
    assert!(!bench.store.cast(elsewhere, NOW, first).await.unwrap().repeated);
}

pub(crate) async fn a_withdrawn_vote_makes_room(bench: &Bench) {
    let campaign = bench.campaign(2).await;
    let first = vote("ann", path(1, 2), Answer::Yes);
    bench.store.cast(campaign, NOW, first.clone()).await.unwrap();

    let stranger = Actor::Worker(worker("bob"));
    let refusal = bench.store.withdraw(campaign, NOW, stranger, first.id).await;
    assert!(matches!(refusal, Err(Error::Unknown("vote"))));

    let ann = Actor::Worker(worker("ann"));
    let receipt = bench.store.withdraw(campaign, NOW, ann.clone(), first.id).await.unwrap();
    let again = bench.store.withdraw(campaign, NOW, ann, first.id).await.unwrap();
    assert_eq!((receipt.position, again.position, again.repeated), (Position(4), Position(4), true));

    let second = vote("ann", path(1, 2), Answer::No);
    bench.store.cast(campaign, NOW, second.clone()).await.unwrap();
    // A repeat of the withdrawn vote is a repeat, and does not bring it back.
    assert!(bench.store.cast(campaign, NOW, first.clone()).await.unwrap().repeated);
    let votes = bench.store.votes_on(campaign, path(1, 2)).await.unwrap();
    let counted: Vec<_> =
        votes.iter().map(|stored| (stored.id, stored.vote.clone(), stored.withdrawn)).collect();
    assert_eq!(counted, [(first.id, first.vote, Some(Position(4))), (second.id, second.vote, None)]);
    let tally = &bench.store.workers(campaign).await.unwrap()[0];
    assert_eq!((tally.votes, tally.withdrawn), (1, 1));
}

pub(crate) async fn appends_are_all_or_nothing(bench: &Bench) {
    let campaign = bench.campaign(2).await;
    let events = vec![concept(3), Event::ConceptRemoved { concept: 9 }];
    let refusal = bench.store.append(campaign, NOW, Actor::Grove, events).await;
    assert!(matches!(refusal, Err(Error::BadConcept(9))));
    let now = bench.store.campaign(campaign).await.unwrap();
    assert_eq!((now.head, now.concepts), (Position(2), 2));
    assert_eq!(bench.store.log(campaign, Position::START, 10).await.unwrap().len(), 2);
}

pub(crate) async fn impossible_events_are_refused(bench: &Bench) {
    let campaign = bench.campaign(2).await;
    let append = async |event| bench.store.append(campaign, NOW, Actor::Grove, vec![event]).await;
    assert!(matches!(append(concept(5)).await, Err(Error::WrongConceptNumber { expected: 3, found: 5 })));
    assert!(matches!(append(Event::ConceptsMerged { gone: 1, kept: 1 }).await, Err(Error::BadConcept(1))));
    assert!(matches!(append(Event::ConceptRemoved { concept: 0 }).await, Err(Error::BadConcept(0))));
    let lost = CorrectionId(Uuid::now_v7());
    assert!(matches!(
        append(Event::CorrectionTakenBack { correction: lost }).await,
        Err(Error::Unknown("correction"))
    ));
    let advanced = Event::Advanced { votes_to: Position(1), work: json!({}) };
    assert!(matches!(append(advanced).await, Err(Error::NotAppended("advanced"))));

    for question in [path(1, 1), path(1, 0), path(3, 1), path(1, 3)] {
        let refusal = bench.store.cast(campaign, NOW, vote("ann", question, Answer::Yes)).await;
        assert!(matches!(refusal, Err(Error::BadConcept(_))), "{question:?}");
    }
    bench.store.cast(campaign, NOW, vote("ann", path(0, 1), Answer::Yes)).await.unwrap();
    let nowhere = grove_store::CampaignId(Uuid::now_v7());
    let refusal = bench.store.cast(nowhere, NOW, vote("ann", path(1, 2), Answer::Yes)).await;
    assert!(matches!(refusal, Err(Error::UnknownCampaign(id)) if id == nowhere));
}

pub(crate) async fn entries_come_back_as_they_were(bench: &Bench) {
    let campaign = bench.campaign(2).await;
    let correction = CorrectionId(Uuid::now_v7());
    let events = vec![
        Event::ConceptAdded {
            concept: 3,
            name: "Käse \u{1f9c0}".into(),
            definition: "'; DROP TABLE log; --".into(),
            synonyms: vec!["\"cheese\"".into(), "null\u{0}byte".into()],
        },
        Event::ConceptRenamed { concept: 1, name: "\u{202e}right to left".into() },
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
    let receipts = bench.store.append(campaign, NOW, owner.clone(), events.clone()).await.unwrap();
    assert_eq!(receipts.len(), events.len());

    let log = bench.store.log(campaign, Position(2), 100).await.unwrap();
    let back: Vec<_> = log.iter().map(|entry| entry.event.clone()).collect();
    assert_eq!(back, events);
    for (entry, receipt) in log.iter().zip(&receipts) {
        assert_eq!((entry.position, entry.at, &entry.actor), (receipt.position, NOW, &owner));
    }
    let page = bench.store.log(campaign, Position(4), 3).await.unwrap();
    assert_eq!(page.iter().map(|entry| entry.position.0).collect::<Vec<_>>(), [5, 6, 7]);
}

pub(crate) async fn corrections_are_recorded_once(bench: &Bench) {
    let campaign = bench.campaign(3).await;
    let correction = CorrectionId(Uuid::now_v7());
    let append = async |event| bench.store.append(campaign, NOW, Actor::Grove, vec![event]).await;
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

pub(crate) async fn an_erased_worker_is_nowhere(bench: &Bench) {
    let campaign = bench.campaign(4).await;
    let name = "mia.muster@example.org";
    for (upper, who) in [(1, name), (2, "other"), (3, name)] {
        bench.store.cast(campaign, NOW, vote(who, path(upper, 4), Answer::Yes)).await.unwrap();
    }
    let before = bench.store.log(campaign, Position::START, 100).await.unwrap();
    let snapshot = Snapshot { position: Position(7), at: NOW, bytes: name.as_bytes().to_vec() };
    bench.store.save_snapshot(campaign, "belief", snapshot, 3).await.unwrap();

    let erase = async |who: &str, stand_in: &str| {
        let stand_in = worker(stand_in);
        bench.store.erase_worker(campaign, NOW, Actor::Grove, &worker(who), stand_in).await
    };
    assert!(matches!(erase(name, "other").await, Err(Error::Conflict)));
    assert!(matches!(erase("nobody", "erased-1").await, Err(Error::Unknown("worker"))));
    assert_eq!(erase(name, "erased-1").await.unwrap().position, Position(8));

    let log = bench.store.log(campaign, Position::START, 100).await.unwrap();
    let text = format!("{log:?}{:?}", bench.store.workers(campaign).await.unwrap());
    assert!(!text.contains("mia"), "{text}");
    assert!(bench.store.newest_snapshot(campaign, "belief", None).await.unwrap().is_none());
    let erased = Event::WorkerErased { stand_in: worker("erased-1"), first_vote: Some(Position(5)) };
    assert_eq!(log.last().unwrap().event, erased);
    // The log differs in the name alone.
    let renamed = format!("{before:?}").replace(name, "erased-1");
    assert_eq!(format!("{:?}", &log[..before.len()]), renamed);
    assert_eq!(bench.store.doctor().await.unwrap(), []);
    bench.contains_no_trace_of("mia.muster").await;
}
