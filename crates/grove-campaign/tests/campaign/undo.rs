//! Edits that are undone, and concepts that come back.

use std::time::Duration;

use grove_campaign::{Campaign, Edit, Edited, Error, Follower, NewConcept, Settings, State, Status};
use grove_store::{Actor, Answer, Correction, CorrectionId, Kind, Position, Question};
use uuid::Uuid;

use crate::bench::{Bench, FOOD, log_of, path, quick, vote, worker};

fn correction(correction: Correction) -> Edit {
    Edit::Correct { id: CorrectionId(Uuid::now_v7()), correction }
}

/// Makes an edit at a moment of its own, and returns its place in the history.
async fn edit(bench: &Bench, campaign: &Campaign, edit: Edit) -> Position {
    bench.clock.pass(Duration::from_secs(1));
    campaign.edit(Actor::Grove, edit).await.expect("the edit is allowed");
    campaign.state().history().last().expect("it has a history").position
}

/// All that an edit may change, in a form that can be compared.
fn known(state: &State) -> impl PartialEq + std::fmt::Debug + use<> {
    let concepts: Vec<_> = state
        .concepts()
        .present()
        .map(|one| (one.number, one.name.clone(), one.definition.clone(), one.article.to_string()))
        .collect();
    let mut corrections: Vec<String> =
        state.corrections().iter().map(|one| format!("{:?}", one.correction)).collect();
    corrections.sort();
    let mut votes: Vec<String> = state
        .evidence()
        .map(|evidence| evidence.votes().map(|(_, vote)| format!("{vote:?}")).collect())
        .unwrap_or_default();
    votes.sort();
    (concepts, corrections, votes, state.settings().clone(), state.status())
}

/// A campaign with votes of both kinds and with corrections.
async fn campaign(bench: &Bench) -> Campaign {
    let campaign = bench.campaign(&quick(), &FOOD).await;
    let edge = |upper, lower| Question { kind: Kind::Edge, upper, lower };
    for (name, question, answer) in [
        ("ann", path(1, 2), Answer::Yes),
        ("ann", path(1, 5), Answer::Yes),
        ("bob", path(3, 2), Answer::No),
        ("bob", edge(1, 2), Answer::Yes),
        ("ann", edge(3, 2), Answer::No),
        ("bob", edge(3, 4), Answer::Yes),
        ("bob", path(5, 2), Answer::CantSay),
    ] {
        vote(&campaign, &worker(name), question, answer).await.expect("the vote counts");
    }
    for rule in
        [Correction::DirectlyUnder { lower: 4, upper: 3 }, Correction::NotUnder { lower: 2, upper: 3 }]
    {
        edit(bench, &campaign, correction(rule)).await;
    }
    campaign
}

#[tokio::test]
async fn every_edit_can_be_undone() {
    let bench = Bench::new().await;
    let campaign = campaign(&bench).await;
    let settings = Settings { title: "Food".to_owned(), price_cents: 3.0, ..quick() };
    let edits = [
        Edit::Rename { concept: 2, name: "crab apple".to_owned() },
        Edit::Redescribe {
            concept: 2,
            definition: "sour".to_owned(),
            synonyms: vec!["wild apple".to_owned()],
        },
        Edit::SetArticle { concept: 2, article: "the".to_owned() },
        Edit::Remove { concept: 2 },
        Edit::Remove { concept: 3 },
        Edit::Merge { gone: 2, kept: 5 },
        Edit::Merge { gone: 3, kept: 1 },
        correction(Correction::SomewhereUnder { lower: 6, upper: 3 }),
        Edit::Move { id: CorrectionId(Uuid::now_v7()), lower: 4, upper: 1 },
        Edit::Free { lower: 4, upper: None },
        Edit::Set(Box::new(settings)),
        Edit::Pause { reason: "lunch".to_owned() },
        Edit::Stop { reason: String::new() },
    ];
    for made in edits {
        let before = known(&campaign.state());
        let position = edit(&bench, &campaign, made.clone()).await;
        assert_ne!(known(&campaign.state()), before, "{made:?} changes something");
        let undone = edit(&bench, &campaign, Edit::Undo { edit: position }).await;
        assert_eq!(known(&campaign.state()), before, "{made:?}");
        // What was undone cannot be undone again; undoing can.
        let again = campaign.edit(Actor::Grove, Edit::Undo { edit: position }).await;
        assert!(matches!(again, Err(Error::UndoneAlready)), "{made:?} gives {again:?}");
        let can_redo = campaign.with_state(|state| state.can_undo(state.past_edit(undone).unwrap()));
        assert!(can_redo, "{made:?}");
    }
    // Votes on direct parents lose their "directly" for good when concepts are added, as they do when these are removed again.
    let present = |campaign: &Campaign| campaign.state().concepts().numbers().to_vec();
    let before = present(&campaign);
    let added = Edit::Add(vec![NewConcept::named("plum"), NewConcept::named("cherry")]);
    let position = edit(&bench, &campaign, added).await;
    assert_eq!(present(&campaign).len(), before.len() + 2);
    edit(&bench, &campaign, Edit::Undo { edit: position }).await;
    assert_eq!(present(&campaign), before);
    // Whoever reads the log comes to the same state and the same belief.
    campaign.advance().await.unwrap();
    let log = log_of(&campaign, &bench).await;
    assert_eq!(known(&State::after(&log)), known(&campaign.state()));
    assert_eq!(Follower::replay(&log).unwrap().astray(), None);
}

/// Votes that are cast while a concept is gone are read as those of before, and what was said about it counts again.
#[tokio::test]
async fn a_restored_concept_has_its_votes_and_those_cast_meanwhile() {
    let bench = Bench::new().await;
    let campaign = campaign(&bench).await;
    let position = edit(&bench, &campaign, Edit::Merge { gone: 2, kept: 5 }).await;
    vote(&campaign, &worker("eve"), path(1, 5), Answer::Yes).await.unwrap();
    edit(&bench, &campaign, Edit::Undo { edit: position }).await;
    let state = campaign.state();
    let count = |upper: u32, lower: u32| {
        let question = state.question(path(upper, lower)).unwrap();
        state.evidence().unwrap().tally(question)
    };
    assert_eq!(count(1, 2), (1, 0), "the vote on apple is a vote on apple again");
    assert_eq!(count(1, 5), (2, 0), "pear has its own and the one that was cast meanwhile");
}

#[tokio::test]
async fn what_cannot_be_undone_is_refused() {
    let bench = Bench::new().await;
    let campaign = campaign(&bench).await;
    let created = campaign.state().history()[0].clone();
    assert_eq!(created.what, Edited::Created { concepts: 6 });
    let refused = campaign.edit(Actor::Grove, Edit::Undo { edit: created.position }).await;
    assert!(matches!(refused, Err(Error::UndoneAlready)));
    let nothing = campaign.edit(Actor::Grove, Edit::Undo { edit: Position(9_999) }).await;
    assert!(matches!(nothing, Err(Error::NothingToUndo)));
    // Renamed twice: only the last name can be taken back.
    let first = edit(&bench, &campaign, Edit::Rename { concept: 2, name: "a".to_owned() }).await;
    let second = edit(&bench, &campaign, Edit::Rename { concept: 2, name: "b".to_owned() }).await;
    assert!(campaign.edit(Actor::Grove, Edit::Undo { edit: first }).await.is_err());
    edit(&bench, &campaign, Edit::Undo { edit: second }).await;
    assert_eq!(campaign.state().name_of(2), "a");
    // A name that was given to another meanwhile keeps a concept away.
    let removed = edit(&bench, &campaign, Edit::Remove { concept: 2 }).await;
    edit(&bench, &campaign, Edit::Add(vec![NewConcept::named("A")])).await;
    let taken = campaign.edit(Actor::Grove, Edit::Undo { edit: removed }).await;
    assert!(matches!(taken, Err(Error::NameTaken(_))), "{taken:?}");
    assert_eq!(campaign.state().status(), Status::Asking);
    assert!(matches!(campaign.edit(Actor::Grove, Edit::Restore { concept: 1 }).await, Err(Error::NotGone)));
}
