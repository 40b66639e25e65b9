//! What an owner does, and what never reaches the log.

use std::sync::Arc;

use grove_campaign::{Campaign, Edit, Error, Fate, Follower, NewConcept, Settings, Status};
use grove_formats::{Article, Origin};
use grove_store::{Actor, Answer, Correction, CorrectionId, Event, VoteId};
use uuid::Uuid;

use crate::bench::{Bench, FOOD, log_of, path, quick, vote, worker};

fn correction(correction: Correction) -> Edit {
    Edit::Correct { id: CorrectionId(Uuid::now_v7()), correction }
}

async fn head(bench: &Bench, campaign: &Campaign) -> i64 {
    bench.store.campaign(campaign.id()).await.unwrap().head.0
}

#[tokio::test]
async fn a_contradicting_correction_is_refused_before_the_log() {
    let bench = Bench::new().await;
    let campaign = bench.campaign(&quick(), &FOOD).await;
    campaign.edit(Actor::Grove, correction(Correction::SomewhereUnder { lower: 2, upper: 1 })).await.unwrap();
    let before = head(&bench, &campaign).await;
    for rule in [
        Correction::SomewhereUnder { lower: 1, upper: 2 },
        Correction::NotUnder { lower: 2, upper: 1 },
        Correction::TopLevel { concept: 2 },
        Correction::NotUnder { lower: 2, upper: 0 },
    ] {
        let refused = campaign.edit(Actor::Grove, correction(rule)).await;
        assert!(matches!(&refused, Err(Error::Clash(why)) if !why.is_empty()), "{rule:?} gives {refused:?}");
    }
    let clash =
        campaign.edit(Actor::Grove, correction(Correction::TopLevel { concept: 2 })).await.unwrap_err();
    assert!(clash.to_string().contains("\"apple\" somewhere under \"fruit\""), "{clash}");
    assert_eq!(head(&bench, &campaign).await, before, "nothing was written");
    // The control: one that does not contradict is written.
    campaign.edit(Actor::Grove, correction(Correction::NotUnder { lower: 2, upper: 3 })).await.unwrap();
    assert_eq!(head(&bench, &campaign).await, before + 1);
}

/// What a file says of a concept survives the log, and an article that cannot be one never reaches it.
#[tokio::test]
async fn articles_and_origins_are_kept_in_the_log() {
    let bench = Bench::new().await;
    let campaign = bench.campaign(&quick(), &FOOD).await;
    let iri = Some("https://example.org/hour".to_owned());
    let origin = Arc::new(Origin { iri, facts: Vec::new() });
    let hour =
        NewConcept { article: "an".to_owned(), origin: Some(origin.clone()), ..NewConcept::named("hour") };
    campaign.edit(Actor::Grove, Edit::Add(vec![hour])).await.unwrap();
    let number = campaign.state().find("hour").unwrap();
    let before = head(&bench, &campaign).await;
    let article = |article: &str| Edit::SetArticle { concept: number, article: article.to_owned() };
    campaign.edit(Actor::Grove, article("AN")).await.unwrap();
    assert!(campaign.edit(Actor::Grove, article("a\nb")).await.is_err());
    let gone = Edit::SetArticle { concept: 999, article: "a".to_owned() };
    assert!(matches!(campaign.edit(Actor::Grove, gone).await, Err(Error::NoSuchConcept(999))));
    assert_eq!(head(&bench, &campaign).await, before + 1, "only AN is another article than an");
    campaign.edit(Actor::Grove, article("AN")).await.unwrap();
    assert_eq!(head(&bench, &campaign).await, before + 1, "what changes nothing is not written");
    let replayed = grove_campaign::State::after(&log_of(&campaign, &bench).await);
    let concept = replayed.concepts().get(number).unwrap();
    assert_eq!((&concept.article, &concept.origin), (&Article::Own("AN".to_owned()), &Some(origin)));
    let written = replayed.flat_hierarchy().unwrap();
    assert_eq!(written.id(grove_tree::Concept::new(replayed.concepts().count())), "hour");
}

#[tokio::test]
async fn a_merger_that_makes_corrections_clash_is_refused() {
    let bench = Bench::new().await;
    let campaign = bench.campaign(&quick(), &FOOD).await;
    campaign.edit(Actor::Grove, correction(Correction::SomewhereUnder { lower: 2, upper: 1 })).await.unwrap();
    campaign.edit(Actor::Grove, correction(Correction::NotUnder { lower: 5, upper: 1 })).await.unwrap();
    let merger = Edit::Merge { gone: 5, kept: 2 };
    assert!(matches!(campaign.edit(Actor::Grove, merger.clone()).await, Err(Error::Clash(_))));
    campaign.edit(Actor::Grove, Edit::Free { lower: 5, upper: None }).await.unwrap();
    campaign.edit(Actor::Grove, merger).await.unwrap();
    assert!(matches!(campaign.state().concepts().get(5).unwrap().fate, Fate::Merged { into: 2, .. }));
}

/// Two programs that do not see each other can write what contradicts; then the later entry is void, and the log is still read.
#[tokio::test]
async fn what_contradicts_in_the_log_is_void() {
    let bench = Bench::new().await;
    let campaign = bench.campaign(&quick(), &FOOD).await;
    let rules = [
        Correction::SomewhereUnder { lower: 2, upper: 1 },
        Correction::SomewhereUnder { lower: 1, upper: 2 },
    ];
    let made = |correction| Event::CorrectionMade { id: CorrectionId(Uuid::now_v7()), correction };
    let events = rules.map(made).to_vec();
    bench.store.append(campaign.id(), grove_store::Moment(1), Actor::Grove, events).await.unwrap();
    assert!(campaign.advance().await.unwrap());
    assert_eq!(campaign.state().void().len(), 1);
    assert_eq!(campaign.state().corrections().len(), 1);
    assert!(
        campaign.follower().await.unwrap().belief().unwrap().path(1.into_concept(), 2.into_concept()) > 0.999
    );
}

trait IntoConcept {
    fn into_concept(self) -> grove_tree::Concept;
}

impl IntoConcept for usize {
    fn into_concept(self) -> grove_tree::Concept {
        grove_tree::Concept::new(self)
    }
}

#[tokio::test]
async fn names_are_kept_apart() {
    let bench = Bench::new().await;
    let campaign = bench.campaign(&quick(), &FOOD).await;
    let add = |name| Edit::Add(vec![NewConcept::named(name)]);
    for taken in ["APPLE", " apple ", "Food"] {
        assert!(campaign.edit(Actor::Grove, add(taken)).await.is_err(), "{taken}");
    }
    assert!(campaign.edit(Actor::Grove, add("  ")).await.is_err());
    let rename = |concept, name: &str| Edit::Rename { concept, name: name.to_owned() };
    assert!(matches!(campaign.edit(Actor::Grove, rename(2, "Pear")).await, Err(Error::NameTaken(_))));
    campaign.edit(Actor::Grove, rename(2, "Apple")).await.unwrap();
    assert_eq!(campaign.state().name_of(2), "Apple");
    campaign.edit(Actor::Grove, Edit::Remove { concept: 2 }).await.unwrap();
    campaign.edit(Actor::Grove, add("apple")).await.unwrap();
    assert_eq!(campaign.state().find("aPPle").unwrap(), 7, "numbers are never used again");
    let unknown = campaign.state().find("carot").unwrap_err();
    assert!(unknown.to_string().contains("did you mean \"carrot\"?"), "{unknown}");
    assert!(matches!(campaign.edit(Actor::Grove, rename(2, "quince")).await, Err(Error::NoSuchConcept(2))));
}

#[tokio::test]
async fn late_votes_on_merged_and_removed_concepts() {
    let bench = Bench::new().await;
    let campaign = bench.campaign(&quick(), &FOOD).await;
    let (ann, bob) = (worker("ann"), worker("bob"));
    vote(&campaign, &ann, path(1, 2), Answer::Yes).await.unwrap();
    campaign.edit(Actor::Grove, Edit::Merge { gone: 5, kept: 2 }).await.unwrap();
    campaign.edit(Actor::Grove, Edit::Remove { concept: 4 }).await.unwrap();
    for question in [path(1, 5), path(3, 4), path(5, 2)] {
        vote(&campaign, &bob, question, Answer::Yes).await.unwrap();
    }
    campaign.advance().await.unwrap();
    let evidence = campaign.follower().await.unwrap().belief().unwrap().evidence().clone();
    let fruit_above_apple = campaign.state().question(path(1, 2)).unwrap();
    assert_eq!(evidence.tally(fruit_above_apple), (2, 0), "a vote on the merged concept is one on the other");
    assert_eq!(evidence.votes().count(), 2, "the others mean nothing any more");
    assert_eq!(campaign.state().votes().count(), 4, "but they were given, and will be paid");
    assert_eq!(campaign.state().spent().questions, 4);
    let undone = campaign.undo(&bob).await.unwrap();
    assert_eq!(undone.response.screen, path(5, 2).into());
    assert_eq!(campaign.state().votes().count(), 3);
}

#[tokio::test]
async fn settings_and_status_are_edited() {
    let bench = Bench::new().await;
    let campaign = bench.campaign(&quick(), &FOOD).await;
    let wrong = Settings { root: "Pear".to_owned(), ..quick() };
    assert!(matches!(
        campaign.edit(Actor::Grove, Edit::Set(Box::new(wrong))).await,
        Err(Error::NameTaken(_))
    ));
    let wrong = Settings { relation: "likes".to_owned(), ..quick() };
    assert!(matches!(
        campaign.edit(Actor::Grove, Edit::Set(Box::new(wrong))).await,
        Err(Error::BadSetting { .. })
    ));
    campaign.edit(Actor::Grove, Edit::Pause { reason: "lunch".to_owned() }).await.unwrap();
    assert_eq!(
        campaign.with_state(|state| (state.status(), state.reason().to_owned())),
        (Status::Paused, "lunch".to_owned())
    );
    let before = head(&bench, &campaign).await;
    campaign.edit(Actor::Grove, Edit::Pause { reason: "again".to_owned() }).await.unwrap();
    assert_eq!(head(&bench, &campaign).await, before, "it was paused already");
    campaign.edit(Actor::Grove, Edit::Resume).await.unwrap();
    assert_eq!(campaign.state().status(), Status::Asking);
}

#[tokio::test]
async fn an_erased_worker_is_nowhere_and_the_belief_is_the_same() {
    let bench = Bench::new().await;
    let campaign = bench.campaign(&crate::bench::learning(), &FOOD).await;
    let (ann, bob) = (worker("ann"), worker("bob"));
    vote(&campaign, &ann, path(1, 2), Answer::Yes).await.unwrap();
    vote(&campaign, &bob, path(1, 3), Answer::No).await.unwrap();
    campaign.advance().await.unwrap();
    let before = campaign.follower().await.unwrap().digest();
    let stand_in = campaign.erase_worker(Actor::Grove, &ann).await.unwrap();
    campaign.advance().await.unwrap();
    let believed = async |campaign: &Campaign| {
        let follower = campaign.follower().await.unwrap();
        (follower.state().votes().workers().to_vec(), follower.digest())
    };
    let expected = (vec![stand_in, bob], before);
    assert_eq!(believed(&campaign).await, expected);
    let again = Campaign::open(&bench.store, campaign.id(), bench.clock.clone()).await.unwrap();
    assert_eq!(believed(&again).await, expected);
}

/// A program that has read the worker's first vote reads the others, and then the erasure, when the store has replaced the name.
#[tokio::test]
async fn a_vote_that_races_an_erasure_is_the_erased_workers() {
    let bench = Bench::new().await;
    let campaign = bench.campaign(&crate::bench::learning(), &FOOD).await;
    let other = Campaign::open(&bench.again().await, campaign.id(), bench.clock.clone()).await.unwrap();
    let (ann, bob) = (worker("ann"), worker("bob"));
    vote(&campaign, &ann, path(1, 2), Answer::Yes).await.unwrap();
    vote(&campaign, &bob, path(1, 3), Answer::No).await.unwrap();
    vote(&other, &ann, path(3, 4), Answer::Yes).await.unwrap();
    let stand_in = other.erase_worker(Actor::Grove, &ann).await.unwrap();
    campaign.advance().await.unwrap();
    let follower = campaign.follower().await.unwrap();
    assert_eq!(follower.state().votes().workers(), [stand_in.clone(), bob.clone()]);
    let replayed = Follower::replay(&log_of(&campaign, &bench).await).unwrap();
    assert_eq!((replayed.digest(), replayed.astray()), (follower.digest(), None));
    assert_eq!(replayed.state().votes().workers(), [stand_in, bob]);
}

#[tokio::test]
async fn why_tells_direct_and_indirect_votes() {
    let bench = Bench::new().await;
    let campaign = bench.campaign(&quick(), &["food stuff", "fruit", "apple", "brick"]).await;
    let said = [
        (2, 3, Answer::Yes),
        (3, 2, Answer::No),
        (1, 2, Answer::Yes),
        (1, 3, Answer::Yes),
        (1, 4, Answer::No),
    ];
    let mut ids: Vec<VoteId> = Vec::new();
    for who in ["ann", "bob", "cem"] {
        for (upper, lower, answer) in said {
            ids.push(vote(&campaign, &worker(who), path(upper, lower), answer).await.unwrap());
        }
    }
    campaign.advance().await.unwrap();
    let why = campaign.follower().await.unwrap().why(3, None).unwrap();
    assert_eq!((why.lower, why.upper), (3, 2));
    let of =
        |reasons: &[grove_campaign::Reason]| reasons.iter().map(|reason| reason.vote.id).collect::<Vec<_>>();
    assert_eq!(of(&why.direct), [0, 1, 5, 6, 10, 11].map(|at| ids[at]));
    assert!(why.direct[0].influence > 1.0, "{why:?}");
    assert!(of(&why.indirect).contains(&ids[3]), "what is above the parent is above the child too: {why:?}");
    assert!(why.indirect.iter().all(|reason| reason.influence.abs() <= why.direct[0].influence), "{why:?}");
    assert!(matches!(campaign.follower().await.unwrap().why(9, None), Err(Error::NoSuchConcept(9))));
    assert!(campaign.follower().await.unwrap().why(3, Some(3)).is_err());
    let under_brick = campaign.follower().await.unwrap().why(3, Some(4)).unwrap();
    assert!(under_brick.certainty < why.certainty);
}

/// Until the belief is rebuilt under the new settings, the old one is explained with the votes that it has.
#[tokio::test]
async fn why_names_the_right_votes_while_settings_change() {
    let bench = Bench::new().await;
    let campaign = bench.campaign(&quick(), &FOOD).await;
    let ann = worker("ann");
    vote(&campaign, &ann, path(3, 6), Answer::Yes).await.unwrap();
    vote(&campaign, &ann, path(1, 2), Answer::Yes).await.unwrap();
    vote(&campaign, &ann, path(3, 4), Answer::Yes).await.unwrap();
    let withdrawn = vote(&campaign, &worker("bob"), path(1, 5), Answer::Yes).await.unwrap();
    vote(&campaign, &worker("bob"), path(1, 2), Answer::Yes).await.unwrap();
    vote(&campaign, &worker("bob"), path(3, 6), Answer::Yes).await.unwrap();
    campaign.withdraw(&worker("bob"), withdrawn).await.unwrap();
    campaign.step().await.unwrap();
    let reasons = async || {
        let why = campaign.why(2, Some(1)).await.unwrap();
        let named = |one: &grove_campaign::Reason| (one.vote.id, one.influence);
        (why.direct.iter().map(named).collect::<Vec<_>>(), why.indirect.iter().map(named).collect::<Vec<_>>())
    };
    let before = reasons().await;
    assert_eq!(before.0.len(), 2);
    // The withdrawn vote leaves a gap among the numbers, which is closed when the settings change.
    let other = Settings { seed: 4, ..quick() };
    campaign.edit(Actor::Grove, Edit::Set(Box::new(other))).await.unwrap();
    assert_eq!(reasons().await, before);
    campaign.step().await.unwrap();
    let votes =
        |(direct, _): (Vec<(VoteId, f64)>, _)| direct.into_iter().map(|one| one.0).collect::<Vec<_>>();
    assert_eq!(votes(reasons().await), votes(before));
}

async fn corrections(campaign: &Campaign) -> Vec<Correction> {
    campaign.with_state(|state| state.corrections().iter().map(|one| one.correction).collect())
}

fn moved(lower: u32, upper: u32) -> Edit {
    Edit::Move { id: CorrectionId(Uuid::now_v7()), lower, upper }
}

#[tokio::test]
async fn a_refused_move_keeps_the_pin() {
    let bench = Bench::new().await;
    let campaign = bench.campaign(&quick(), &FOOD).await;
    let pinned = [
        Correction::DirectlyUnder { lower: 2, upper: 1 },
        Correction::NotUnder { lower: 2, upper: 3 },
        Correction::DirectlyUnder { lower: 4, upper: 2 },
    ];
    for one in pinned {
        campaign.edit(Actor::Grove, correction(one)).await.unwrap();
    }
    let before = head(&bench, &campaign).await;
    // Forbidden; under its own child; under something that does not exist.
    for upper in [3, 4, 99] {
        let refused = campaign.edit(Actor::Grove, moved(2, upper)).await;
        assert!(matches!(refused, Err(Error::Clash(_))), "under {upper}: {refused:?}");
    }
    assert_eq!(head(&bench, &campaign).await, before, "nothing was written");
    assert_eq!(corrections(&campaign).await, pinned);
}

#[tokio::test]
async fn a_move_replaces_pins_and_leaves_what_is_forbidden() {
    let bench = Bench::new().await;
    let campaign = bench.campaign(&quick(), &FOOD).await;
    let forbidden = Correction::NotUnder { lower: 2, upper: 4 };
    for one in [Correction::DirectlyUnder { lower: 2, upper: 1 }, forbidden] {
        campaign.edit(Actor::Grove, correction(one)).await.unwrap();
    }
    let before = head(&bench, &campaign).await;
    let edit = moved(2, 3);
    campaign.edit(Actor::Grove, edit.clone()).await.unwrap();
    assert_eq!(corrections(&campaign).await, [forbidden, Correction::DirectlyUnder { lower: 2, upper: 3 }]);
    assert_eq!(head(&bench, &campaign).await, before + 2, "one pin was undone and one was made");
    campaign.edit(Actor::Grove, edit).await.unwrap();
    campaign.edit(Actor::Grove, moved(2, 3)).await.unwrap();
    assert_eq!(head(&bench, &campaign).await, before + 2, "it is there already");
    campaign.edit(Actor::Grove, moved(2, 0)).await.unwrap();
    assert_eq!(corrections(&campaign).await, [forbidden, Correction::TopLevel { concept: 2 }]);
    campaign.advance().await.unwrap();
    let follower = campaign.follower().await.unwrap();
    assert!(follower.belief().unwrap().parents(2.into_concept())[0].0.is_root());
}
