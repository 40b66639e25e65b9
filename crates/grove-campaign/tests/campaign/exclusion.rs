//! Workers and links whose votes are taken out of the belief, and brought back.

use grove_campaign::operations::{Caller, Link, Workspace};
use grove_campaign::{Asked, Campaign, Edit, Edited, Error, Follower, NewConcept, Next, State};
use grove_store::{
    Actor, Answer, Correction, CorrectionId, CredentialId, Entry, Event, Position, Reply, Response,
    SubmittedVote, Vote, VoteId, VoteSource, WorkerId,
};
use uuid::Uuid;

use crate::bench::{Bench, FOOD, learning, log_of, path, quick, vote, worker};

const LINK: CredentialId = CredentialId(Uuid::from_u128(7));

fn of(name: &str) -> VoteSource {
    VoteSource::Worker(worker(name))
}

/// A vote that came through the link.
async fn through_link(campaign: &Campaign, who: &WorkerId, upper: u32, lower: u32, answer: Answer) {
    let vote = Vote { worker: who.clone(), question: path(upper, lower), answer };
    let vote = SubmittedVote { link: Some(LINK), ..SubmittedVote::new(VoteId(Uuid::now_v7()), vote) };
    campaign.vote(vote).await.unwrap();
}

/// Honest people, somebody who says the opposite, and two who came through a link.
async fn campaign(bench: &Bench) -> Campaign {
    let campaign = bench.campaign(&learning(), &FOOD).await;
    for (upper, lower, answer) in
        [(1, 2, Answer::Yes), (1, 5, Answer::Yes), (3, 4, Answer::Yes), (3, 2, Answer::No)]
    {
        for name in ["ann", "bob", "cem"] {
            vote(&campaign, &worker(name), path(upper, lower), answer).await.unwrap();
        }
        let opposite = if answer == Answer::Yes { Answer::No } else { Answer::Yes };
        vote(&campaign, &worker("mal"), path(upper, lower), opposite).await.unwrap();
        for name in ["x1", "x2"] {
            through_link(&campaign, &worker(name), upper, lower, opposite).await;
        }
    }
    campaign
}

/// The evidence in a form that can be compared.
fn evidence(state: &State) -> Vec<String> {
    state.evidence().unwrap().votes().map(|(_, vote)| format!("{vote:?}")).collect()
}

/// What a belief built from all the evidence is.
fn built(log: &[Entry]) -> grove_campaign::Digest {
    let mut follower = Follower::new();
    let entries: Vec<Entry> =
        log.iter().filter(|entry| !matches!(entry.event, Event::Advanced { .. })).cloned().collect();
    follower.read_all(&entries).unwrap();
    follower.advance(follower.read_to(), grove_campaign::Way::Build, 0).unwrap();
    follower.digest()
}

#[tokio::test]
async fn the_belief_drops_the_votes_and_regains_them() {
    let bench = Bench::new().await;
    let campaign = campaign(&bench).await;
    let edit = async |edit: Edit| campaign.edit(Actor::Grove, edit).await;
    let count = || {
        let state = campaign.state();
        (state.votes().count(), state.votes().excluded_count(), state.votes().standing_count())
    };
    campaign.advance().await.unwrap();
    let (all, before) = (evidence(&campaign.state()), built(&log_of(&campaign, &bench).await));
    assert_eq!((all.len(), count()), (24, (24, 0, 24)));

    edit(Edit::Exclude { source: of("mal") }).await.unwrap();
    assert_eq!((evidence(&campaign.state()).len(), count()), (20, (20, 4, 24)));
    edit(Edit::Exclude { source: VoteSource::Link(LINK) }).await.unwrap();
    assert_eq!((evidence(&campaign.state()).len(), count()), (12, (12, 12, 24)));
    // Excluding again changes nothing, and so does including whom nobody excluded.
    let position = campaign.state().position();
    edit(Edit::Exclude { source: of("mal") }).await.unwrap();
    edit(Edit::Include { source: of("ann") }).await.unwrap();
    assert_eq!(campaign.state().position(), position);
    let unknown = edit(Edit::Exclude { source: of("nobody") }).await;
    assert!(matches!(unknown, Err(Error::Store(grove_store::Error::Unknown("worker")))), "{unknown:?}");

    // The belief is that of a log in which the excluded never voted.
    campaign.advance().await.unwrap();
    let honest = bench.campaign(&learning(), &FOOD).await;
    for vote in campaign.state().votes().alive() {
        let again = SubmittedVote::new(VoteId(Uuid::now_v7()), vote.response.clone());
        bench.store.cast(honest.id(), vote.at, again).await.unwrap();
    }
    let honest = Campaign::open(&bench.store, honest.id(), bench.clock.clone()).await.unwrap();
    honest.advance().await.unwrap();
    let certainty = |campaign: &Campaign| {
        let snapshot = campaign.snapshot();
        snapshot.hierarchy.entries().iter().map(|entry| (entry.parent, entry.certainty)).collect::<Vec<_>>()
    };
    assert_eq!(evidence(&campaign.state()).len(), evidence(&honest.state()).len());
    for step in [&campaign, &honest] {
        step.step().await.unwrap();
    }
    for (one, other) in certainty(&campaign).iter().zip(certainty(&honest)) {
        assert_eq!(one.0, other.0);
        // Workers have other numbers, hence other random streams.
        assert!((one.1.unwrap() - other.1.unwrap()).abs() < 0.2, "{one:?} {other:?}");
    }

    // Back again: the same evidence in the same order, and a belief built from it has the same bits.
    edit(Edit::Include { source: VoteSource::Link(LINK) }).await.unwrap();
    edit(Edit::Include { source: of("mal") }).await.unwrap();
    assert_eq!((evidence(&campaign.state()), count()), (all, (24, 0, 24)));
    campaign.advance().await.unwrap();
    let log = log_of(&campaign, &bench).await;
    assert_eq!(built(&log), before);
    assert_eq!(campaign.follower().await.unwrap().digest(), before);
    let replayed = Follower::replay(&log).unwrap();
    assert_eq!((replayed.digest(), replayed.astray()), (before, None));
}

/// In whatever order things are excluded and included, and votes are cast, withdrawn and concepts merged meanwhile: what is excluded at the end decides.
#[tokio::test]
async fn the_order_of_exclusions_does_not_matter() {
    let sources = [of("mal"), of("x1"), VoteSource::Link(LINK)];
    let orders: [&[(usize, bool)]; 4] = [
        &[(0, true), (1, true)],
        &[(1, true), (0, true)],
        &[(2, true), (1, true), (0, true), (2, false)],
        &[(0, true), (0, false), (1, true), (0, true)],
    ];
    let mut found = Vec::new();
    for order in orders {
        let bench = Bench::new().await;
        let campaign = campaign(&bench).await;
        let rule = Correction::NotUnder { lower: 2, upper: 3 };
        let made = Edit::Correct { id: CorrectionId(Uuid::now_v7()), correction: rule };
        campaign.edit(Actor::Grove, made).await.unwrap();
        for (at, (which, exclude)) in order.iter().enumerate() {
            let source = sources[*which].clone();
            let edit = if *exclude { Edit::Exclude { source } } else { Edit::Include { source } };
            campaign.edit(Actor::Grove, edit).await.unwrap();
            if at == 0 {
                // Meanwhile.
                through_link(&campaign, &worker("x1"), 1, 6, Answer::Yes).await;
                vote(&campaign, &worker("mal"), path(5, 6), Answer::Yes).await.unwrap();
                campaign.undo(&worker("mal")).await.unwrap();
                campaign.undo(&worker("ann")).await.unwrap();
                campaign.edit(Actor::Grove, Edit::Merge { gone: 6, kept: 4 }).await.unwrap();
                campaign.edit(Actor::Grove, Edit::Add(vec![NewConcept::named("plum")])).await.unwrap();
            }
        }
        let log = log_of(&campaign, &bench).await;
        assert_eq!(evidence(&State::after(&log)), evidence(&campaign.state()));
        let excluded: Vec<VoteSource> = campaign.state().excluded().cloned().collect();
        let evidence = evidence(&campaign.state());
        found.push((excluded, evidence, built(&log), campaign.state().corrections().len()));
    }
    assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{found:#?}");
}

#[tokio::test]
async fn an_exclusion_is_undone_in_the_history() {
    let bench = Bench::new().await;
    let campaign = campaign(&bench).await;
    let all = evidence(&campaign.state());
    campaign.edit(Actor::Grove, Edit::Exclude { source: of("mal") }).await.unwrap();
    let past = campaign.state().history().last().cloned().unwrap();
    assert_eq!(past.what, Edited::Excluded { source: of("mal") });
    campaign.edit(Actor::Grove, Edit::Undo { edit: past.position }).await.unwrap();
    assert_eq!(evidence(&campaign.state()), all);
    let again = campaign.edit(Actor::Grove, Edit::Undo { edit: past.position }).await;
    assert!(matches!(again, Err(Error::UndoneAlready)), "{again:?}");
    let back = campaign.state().history().last().cloned().unwrap();
    assert_eq!(back.what, Edited::Included { source: of("mal") });
    campaign.edit(Actor::Grove, Edit::Undo { edit: back.position }).await.unwrap();
    assert_eq!(campaign.state().votes().excluded_count(), 4);
}

/// The name of somebody who was excluded and then erased is nowhere, and they stay excluded.
#[tokio::test]
async fn an_erased_worker_stays_excluded() {
    let bench = Bench::new().await;
    let campaign = campaign(&bench).await;
    campaign.advance().await.unwrap();
    let other = Campaign::open(&bench.again().await, campaign.id(), bench.clock.clone()).await.unwrap();
    other.edit(Actor::Grove, Edit::Exclude { source: of("mal") }).await.unwrap();
    let stand_in = other.erase_worker(Actor::Grove, &worker("mal")).await.unwrap();
    let source = VoteSource::Worker(stand_in.clone());
    // One has seen the vote before and the exclusion after the erasure; one reads everything after it.
    campaign.advance().await.unwrap();
    let log = log_of(&campaign, &bench).await;
    assert!(!format!("{log:?}").contains("\"mal\""), "{log:?}");
    let fresh = State::after(&log);
    for state in [&*campaign.state(), &*other.state(), &fresh] {
        assert!(state.excluded().eq([&source]));
        assert_eq!((state.votes().count(), state.votes().excluded_count()), (20, 4));
        let is_excluded =
            |edited: &Edited| matches!(edited, Edited::Excluded { source: known } if *known == source);
        assert!(state.history().iter().any(|past| is_excluded(&past.what)));
    }
    let replayed = Follower::replay(&log).unwrap();
    assert_eq!((replayed.digest(), replayed.astray()), (campaign.follower().await.unwrap().digest(), None));
    campaign.edit(Actor::Grove, Edit::Include { source }).await.unwrap();
    assert_eq!(campaign.state().votes().count(), 24);
}

/// Whoever is excluded is asked nothing, and what they send all the same is refused.
#[tokio::test]
async fn the_excluded_are_not_asked() {
    let bench = Bench::new().await;
    let workspace = Workspace::new(bench.store.clone(), bench.clock.clone());
    let concepts = FOOD.map(NewConcept::named);
    let id = workspace.create_campaign(&Caller::local(), "food", quick(), &concepts).await.unwrap();
    let owner = workspace.campaign(Caller::local(), id).await.unwrap();
    let link = owner.invite(String::new(), [1; 32]).await.unwrap();
    let ann = worker("ann");
    let access = workspace
        .campaign(Caller::worker(ann.clone()).through(Link { id: link, is_limited: false }), id)
        .await
        .unwrap();
    let asked = async || match access.next(&ann).await.unwrap() {
        Next::Ask { screens } => screens[0].clone(),
        other => panic!("{other:?}"),
    };
    let cast = async |asked: &Asked| {
        let response = Response { worker: ann.clone(), screen: asked.screen.clone(), reply: Reply::Yes };
        access.cast(SubmittedVote::new(VoteId(Uuid::now_v7()), response), &asked.ticket).await
    };
    cast(&asked().await).await.unwrap();
    let settle = async || owner.campaign().unwrap().settle().await.unwrap();
    settle().await;
    let second = asked().await;
    for source in [VoteSource::Worker(ann.clone()), VoteSource::Link(link)] {
        owner.exclude(source.clone()).await.unwrap();
        assert_eq!(access.next(&ann).await.unwrap(), Next::AllAnswered);
        assert!(matches!(cast(&second).await, Err(Error::Excluded)));
        let summary = owner.workers().await.unwrap().remove(0);
        assert_eq!((summary.votes, summary.excluded), (1, 1));
        assert_eq!(summary.is_excluded, source == VoteSource::Worker(ann.clone()));
        owner.include(source).await.unwrap();
        assert_eq!(asked().await, second);
    }
    cast(&second).await.unwrap();
    settle().await;
    let votes = owner.votes(Position::START, 9).unwrap();
    assert!(votes.iter().all(|vote| vote.link == Some(link)), "{votes:?}");
    // Only links of this campaign.
    let stranger = owner.exclude(VoteSource::Link(LINK)).await;
    assert!(matches!(stranger, Err(Error::Store(grove_store::Error::Unknown("invitation")))), "{stranger:?}");
}
