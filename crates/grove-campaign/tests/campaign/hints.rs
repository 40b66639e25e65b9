//! What is evidence without being anybody's vote: names, and a hierarchy that the concepts came with.

use grove_belief::PseudoWorker;
use grove_campaign::{Campaign, Edit, Follower, NewConcept, Settings};
use grove_store::{Actor, Answer};
use grove_tree::Concept;

use crate::bench::{Bench, learning, log_of, path, vote, worker};

/// Names, and the parents that they had in a hierarchy before.
const WEAR: [(&str, &str); 6] = [
    ("jacket", ""),
    ("leather jacket", "jacket"),
    ("shoe", ""),
    ("running shoe", "shoe"),
    ("denim jacket", "shoe"),
    ("hat", ""),
];

fn wear() -> Settings {
    Settings { names_as_evidence: true, hierarchy_as_evidence: true, language: "en".to_owned(), ..learning() }
}

async fn campaign(bench: &Bench, settings: &Settings) -> Campaign {
    let concept = |(name, parent): (&str, &str)| NewConcept {
        parent: Some(parent.to_owned()),
        ..NewConcept::named(name)
    };
    let concepts = WEAR.map(concept);
    let campaign =
        Campaign::create(&bench.store, None, "wear", settings, &concepts, bench.clock.clone()).await;
    let campaign = campaign.unwrap();
    campaign.advance().await.unwrap();
    campaign
}

fn parent(follower: &Follower, name: &str) -> String {
    let hierarchy = follower.hierarchy().unwrap();
    let (_, entry) = hierarchy.concepts().find(|(_, entry)| entry.name == name).unwrap();
    hierarchy.name(entry.parent).to_owned()
}

/// How many hints of each kind there are.
fn hints(campaign: &Campaign) -> [usize; 2] {
    campaign.with_state(|state| {
        let evidence = state.evidence().unwrap();
        PseudoWorker::ALL.map(|kind| {
            let is_own = |worker| evidence.pseudo(worker) == Some(kind);
            evidence.hints().iter().filter(|hint| is_own(hint.worker)).count()
        })
    })
}

#[tokio::test]
async fn concepts_start_where_they_were_and_why_says_so() {
    let bench = Bench::new().await;
    let campaign = campaign(&bench, &wear()).await;
    assert_eq!(hints(&campaign), [3, 6]);
    {
        let follower = campaign.follower().await.unwrap();
        assert_eq!(parent(&follower, "leather jacket"), "jacket");
        assert_eq!(parent(&follower, "running shoe"), "shoe");
        let why = follower.why(5, Some(3)).unwrap();
        assert!(why.direct.is_empty() && why.indirect.is_empty());
        let of = |source| why.hints.iter().find(|hint| hint.source == source && hint.lower == 5).unwrap();
        let (names, start) = (of(PseudoWorker::Names), of(PseudoWorker::Hierarchy));
        assert!((names.upper, start.upper) == (1, 3) && names.influence < 0.0 && start.influence > 0.0);
        assert_eq!(follower.report(&Default::default()).unwrap().unwrap().report.votes.total(), 0);
        let left = follower.effort_left().unwrap().unwrap();
        assert!(left.screens >= 1.0, "nobody was asked: {left:?}");
    }
    // The worker is known by the number that follows those of the names and of the hierarchy.
    let ann = worker("ann");
    vote(&campaign, &ann, path(1, 5), Answer::Yes).await.unwrap();
    vote(&campaign, &ann, path(3, 5), Answer::No).await.unwrap();
    campaign.advance().await.unwrap();
    assert_eq!(campaign.with_state(|state| state.votes().worker(&ann).index()), 2);
    assert_eq!(parent(&campaign.follower().await.unwrap(), "denim jacket"), "jacket");
    // A replay comes to the same bits.
    let again = Follower::replay(&log_of(&campaign, &bench).await).unwrap();
    assert_eq!(again.astray(), None);
    assert_eq!(again.digest(), campaign.follower().await.unwrap().digest());
}

#[tokio::test]
async fn they_follow_the_concepts_and_the_settings() {
    let bench = Bench::new().await;
    let campaign = campaign(&bench, &wear()).await;
    let edit = async |edit| campaign.edit(Actor::Grove, edit).await.unwrap();
    edit(Edit::Add(vec![NewConcept::named("straw hat")])).await;
    assert_eq!(hints(&campaign), [4, 6]);
    edit(Edit::Rename { concept: 6, name: "cap".to_owned() }).await;
    assert_eq!(hints(&campaign), [3, 6], "a straw hat is no cap");
    edit(Edit::Remove { concept: 1 }).await;
    assert_eq!(hints(&campaign), [1, 5], "leather jackets are at the top level of what is left");
    edit(Edit::Restore { concept: 1 }).await;
    assert_eq!(hints(&campaign), [3, 6]);
    edit(Edit::Merge { gone: 3, kept: 1 }).await;
    assert_eq!(hints(&campaign), [2, 5]);
    vote(&campaign, &worker("ann"), path(1, 4), Answer::Yes).await.unwrap();
    edit(Edit::Set(Box::new(Settings { names_as_evidence: false, hierarchy_as_evidence: false, ..wear() })))
        .await;
    assert_eq!(hints(&campaign), [0, 0]);
    campaign.advance().await.unwrap();
    let first = campaign.with_state(|state| state.votes().worker(&worker("ann")).index());
    assert_eq!(first, 0, "people are numbered from the first again");
    let tally = campaign.with_state(|state| {
        let concept = |number| state.concepts().belief_number(number).unwrap_or(Concept::ROOT);
        let question = grove_belief::Question::path(concept(1), concept(4)).unwrap();
        state.evidence().unwrap().tally(question)
    });
    assert_eq!(tally, (1, 0), "the vote is still there");
    let again = Follower::replay(&log_of(&campaign, &bench).await).unwrap();
    assert_eq!((again.astray(), again.digest()), (None, campaign.follower().await.unwrap().digest()));
}

#[tokio::test]
async fn the_most_specific_head_counts() {
    let bench = Bench::new().await;
    let settings = Settings { hierarchy_as_evidence: false, ..wear() };
    let campaign = campaign(&bench, &settings).await;
    let edit = async |edit| campaign.edit(Actor::Grove, edit).await.unwrap();
    assert_eq!(hints(&campaign), [3, 0]);
    edit(Edit::Add(vec![NewConcept::named("old red leather jacket")])).await;
    assert_eq!(hints(&campaign), [4, 0]);
    edit(Edit::Add(vec![NewConcept::named("red leather jacket")])).await;
    assert_eq!(hints(&campaign), [5, 0], "one head for each");
    let edges = campaign.with_state(|state| {
        let name = |concept: Concept| {
            let number = state.concepts().number(concept);
            state.concepts().get(number).unwrap().name.clone()
        };
        let edge = |hint: &grove_belief::Response| {
            let question = hint.vote().unwrap().question;
            [name(question.upper), name(question.lower)]
        };
        state.evidence().unwrap().hints().iter().map(edge).collect::<Vec<_>>()
    });
    assert!(
        edges.contains(&["red leather jacket", "old red leather jacket"].map(str::to_owned)),
        "{edges:?}"
    );
    assert!(edges.contains(&["leather jacket", "red leather jacket"].map(str::to_owned)), "{edges:?}");
}
