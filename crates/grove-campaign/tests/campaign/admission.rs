//! Which votes are taken: tickets, budgets, leases that are lost or hoarded, clocks that jump, edits at the same time.

use std::time::Duration;

use grove_campaign::operations::{Caller, NewLink, Workspace};
use grove_campaign::{
    Asked, Budget, Campaign, Edit, Error, NewConcept, Next, Settings, Status, TICKET_LIFETIME, TicketProblem,
};
use grove_store::{
    Actor, Answer, Correction, CorrectionId, Event, LinkLimits, Reply, Response, SubmittedVote, VoteId,
    VoteSource, WorkerId,
};
use uuid::Uuid;

use crate::bench::{Bench, FOOD, log_of, path, quick, vote, worker};

async fn asked(campaign: &Campaign, who: &WorkerId) -> Asked {
    match campaign.next(who).await.unwrap() {
        Next::Ask { screens } => screens[0].clone(),
        other => panic!("{who} gets {other:?}"),
    }
}

fn yes(who: &WorkerId, asked: &Asked) -> SubmittedVote {
    let response = Response { worker: who.clone(), screen: asked.screen.clone(), reply: Reply::Yes };
    SubmittedVote::new(VoteId(Uuid::now_v7()), response)
}

/// What was asked before a crash is answered after it, at whatever server; leases are gone by then.
#[tokio::test]
async fn tickets_outlive_the_program() {
    let bench = Bench::new().await;
    let campaign = bench.campaign(&quick(), &FOOD).await;
    let (ann, bob) = (worker("ann"), worker("bob"));
    let first = asked(&campaign, &ann).await;
    assert_eq!(asked(&campaign, &ann).await, first, "who asks again gets the same ticket");
    drop(campaign.clone());
    let after = Campaign::open(&bench.again().await, campaign.id(), bench.clock.clone()).await.unwrap();
    // Nobody else can use it, nor for another question.
    for (who, ticket, problem) in [
        (&bob, first.ticket.as_str(), TicketProblem::Wrong),
        (&ann, "", TicketProblem::Missing),
        (&ann, "1-2", TicketProblem::Wrong),
    ] {
        let refused = after.answer(yes(who, &first), ticket, false).await;
        assert!(matches!(refused, Err(Error::BadTicket(found)) if found == problem), "{refused:?}");
    }
    // A late answer is an answer, also when the campaign was paused meanwhile.
    after.edit(Actor::Grove, Edit::Pause { reason: String::new() }).await.unwrap();
    bench.clock.pass(TICKET_LIFETIME - Duration::from_secs(2));
    let vote = yes(&ann, &first);
    after.answer(vote.clone(), &first.ticket, false).await.unwrap();
    assert_eq!(after.state().votes().count(), 1);
    // Sent again it is the same, however late; anything new is too late.
    bench.clock.pass(Duration::from_secs(3));
    assert!(after.answer(vote.clone(), &first.ticket, false).await.unwrap().repeated);
    let late = after.answer(yes(&ann, &first), &first.ticket, false).await;
    assert!(matches!(late, Err(Error::BadTicket(TicketProblem::Expired))), "{late:?}");
}

/// A screen that is sent ahead can be answered, in whatever order the answers come.
#[tokio::test]
async fn a_screen_sent_ahead_has_a_ticket() {
    let bench = Bench::new().await;
    let campaign = bench.campaign(&quick(), &FOOD).await;
    let ann = worker("ann");
    let first = asked(&campaign, &ann).await;
    let ahead = campaign.upcoming(&ann, std::slice::from_ref(&first.screen)).await.unwrap().unwrap();
    campaign.answer(yes(&ann, &ahead), &ahead.ticket, false).await.unwrap();
    campaign.answer(yes(&ann, &first), &first.ticket, false).await.unwrap();
}

#[tokio::test]
async fn late_answers_count_while_there_is_room() {
    let bench = Bench::new().await;
    let settings = Settings { budget: Budget { votes: Some(3), cents: None }, ..quick() };
    let campaign = bench.campaign(&settings, &FOOD).await;
    let people = ["ann", "bob", "cem", "dan"].map(worker);
    let mut held = Vec::new();
    for who in &people {
        held.push(asked(&campaign, who).await);
    }
    let stop = Edit::Stop { reason: "enough".to_owned() };
    campaign.edit(Actor::Grove, stop).await.unwrap();
    for (who, asked) in people.iter().zip(&held).take(3) {
        campaign.answer(yes(who, asked), &asked.ticket, false).await.unwrap();
    }
    let full = campaign.answer(yes(&people[3], &held[3]), &held[3].ticket, false).await;
    assert!(matches!(full, Err(Error::Store(grove_store::Error::Full))), "{full:?}");
    campaign.edit(Actor::Grove, Edit::Resume).await.unwrap();
    assert_eq!(campaign.next(&people[3]).await.unwrap(), Next::Full);
    // A vote that is withdrawn makes room.
    campaign.undo(&people[0]).await.unwrap();
    campaign.answer(yes(&people[3], &held[3]), &held[3].ticket, false).await.unwrap();
    assert_eq!(campaign.state().votes().count(), 3);
}

/// An answer can be changed even if there is no room for another vote, and never gets lost.
#[tokio::test]
async fn an_answer_is_changed_within_the_budget() {
    let bench = Bench::new().await;
    let settings = Settings { budget: Budget { votes: Some(2), cents: None }, ..quick() };
    let campaign = bench.campaign(&settings, &FOOD).await;
    let (ann, bob) = (worker("ann"), worker("bob"));
    let old = vote(&campaign, &ann, path(1, 2), Answer::Yes).await.unwrap();
    vote(&campaign, &bob, path(1, 2), Answer::Yes).await.unwrap();
    let smaller = Settings { budget: Budget { votes: Some(1), cents: None }, ..quick() };
    campaign.edit(Actor::Grove, Edit::Set(Box::new(smaller))).await.unwrap();

    let unknown = campaign.change(&bob, old, Reply::No).await;
    assert!(matches!(unknown, Err(Error::Store(grove_store::Error::Unknown("vote")))), "{unknown:?}");
    let wrong = campaign.change(&ann, old, Reply::Under(3)).await;
    assert!(matches!(wrong, Err(Error::BadAnswer(_))), "{wrong:?}");
    campaign.edit(Actor::Grove, Edit::Pause { reason: String::new() }).await.unwrap();
    let paused = campaign.change(&ann, old, Reply::No).await;
    assert!(matches!(paused, Err(Error::NotAsking(_))), "{paused:?}");
    campaign.edit(Actor::Grove, Edit::Resume).await.unwrap();
    assert_eq!(campaign.state().votes().count(), 2, "what is refused changes nothing");

    campaign.change(&ann, old, Reply::No).await.unwrap();
    let said: Vec<_> = campaign.state().votes().alive().map(|vote| vote.response.reply.clone()).collect();
    assert_eq!(said, [Reply::Yes, Reply::No]);
    let gone = campaign.change(&ann, old, Reply::Yes).await;
    assert!(matches!(gone, Err(Error::Store(grove_store::Error::AlreadyAnswered { .. }))), "{gone:?}");
}

#[tokio::test]
async fn a_refused_import_withdraws_nothing() {
    let bench = Bench::new().await;
    let campaign = bench.campaign(&quick(), &FOOD).await;
    let old = vote(&campaign, &worker("models"), path(1, 2), Answer::Yes).await.unwrap();
    let response = |screen: grove_store::Question| Response {
        worker: worker("models, sure"),
        screen: screen.into(),
        reply: Reply::No,
    };
    let refused = campaign.import_replacing(&[old], vec![response(path(1, 99))]).await;
    assert!(matches!(refused, Err(Error::Store(grove_store::Error::BadConcept(99)))), "{refused:?}");
    assert_eq!(campaign.state().votes().get(old).unwrap().withdrawn, None);
    campaign.import_replacing(&[old], vec![response(path(1, 2))]).await.unwrap();
    let said: Vec<_> = campaign.state().votes().alive().map(|vote| vote.response.clone()).collect();
    assert_eq!(said, [response(path(1, 2))]);
}

/// Somebody makes up 700 people and asks for all of them: the others are asked all the same.
#[tokio::test]
async fn made_up_people_keep_nobody_waiting() {
    let bench = Bench::new().await;
    for settings in [
        quick(),
        Settings { budget: Budget { votes: Some(20), cents: None }, ..quick() },
        Settings { votes_per_question: 2, ..quick() },
    ] {
        let campaign = bench.campaign(&settings, &FOOD).await;
        for number in 0..700 {
            asked(&campaign, &worker(&format!("made up {number}"))).await;
        }
        let ann = worker("ann");
        let question = asked(&campaign, &ann).await;
        campaign.answer(yes(&ann, &question), &question.ticket, false).await.unwrap();
        assert!(matches!(campaign.next(&ann).await.unwrap(), Next::Ask { .. }));
    }
}

/// An answer was stored and nobody learnt of it, as when the connection to the database breaks at the end of the transaction.
#[tokio::test]
async fn an_answered_question_is_not_offered_again() {
    let bench = Bench::new().await;
    let campaign = bench.campaign(&quick(), &FOOD).await;
    let ann = worker("ann");
    let first = asked(&campaign, &ann).await;
    // Stored without ending the lease.
    let stored = Event::VoteCast(yes(&ann, &first));
    bench
        .store
        .append(campaign.id(), first_moment(&bench), Actor::Worker(ann.clone()), vec![stored])
        .await
        .unwrap();
    campaign.step().await.unwrap();
    let next = asked(&campaign, &ann).await;
    assert_ne!(next.screen, first.screen);
    // Whoever did not look in time is told once, and then asked something else.
    let other = Campaign::open(&bench.store, campaign.id(), bench.clock.clone()).await.unwrap();
    let again = other.answer(yes(&ann, &first), &first.ticket, false).await;
    assert!(matches!(again, Err(Error::Store(grove_store::Error::AlreadyAnswered { .. }))), "{again:?}");
    assert_ne!(asked(&other, &ann).await.screen, first.screen);
}

fn first_moment(bench: &Bench) -> grove_store::Moment {
    grove_campaign::Clock::now(&*bench.clock)
}

/// The clock is an hour fast for a while: what was handed out then is not reserved for an hour.
#[tokio::test]
async fn a_clock_that_jumps_reserves_nothing_for_an_hour() {
    let bench = Bench::new().await;
    let campaign = bench.campaign(&quick(), &["fruit", "apple"]).await;
    let hour = Duration::from_secs(3600);
    bench.clock.pass(hour);
    let mut fast = Vec::new();
    for name in ["ann", "bob"] {
        fast.push(asked(&campaign, &worker(name)).await);
    }
    for (name, question) in ["ann", "bob"].iter().zip(&fast) {
        let vote = yes(&worker(name), question);
        campaign.answer(vote, &question.ticket, false).await.unwrap();
        // They hold the other question now, and are no strangers.
        asked(&campaign, &worker(name)).await;
    }
    bench.clock.back(hour);
    let now = first_moment(&bench);
    assert_eq!(bench.store.leases(campaign.id(), now).await.unwrap(), []);
    let question = asked(&campaign, &worker("cem")).await;
    campaign.answer(yes(&worker("cem"), &question), &question.ticket, false).await.unwrap();
}

/// Of two corrections that contradict each other one is made, and whoever made the other is told.
#[tokio::test]
async fn contradictory_corrections_at_the_same_time() {
    let bench = Bench::new().await;
    let campaign = bench.campaign(&quick(), &FOOD).await;
    let other = Campaign::open(&bench.again().await, campaign.id(), bench.clock.clone()).await.unwrap();
    for round in 0..20 {
        let made = |correction| Edit::Correct { id: CorrectionId(Uuid::now_v7()), correction };
        let under = made(Correction::SomewhereUnder { lower: 2, upper: 1 });
        let over = made(Correction::SomewhereUnder { lower: 1, upper: 2 });
        let (one, two) = tokio::join!(campaign.edit(Actor::Grove, under), other.edit(Actor::Grove, over));
        let refused: Vec<&Error> =
            [&one, &two].into_iter().filter_map(|outcome| outcome.as_ref().err()).collect();
        assert!(matches!(refused[..], [Error::Clash(_)]), "round {round}: {one:?} {two:?}");
        campaign.edit(Actor::Grove, Edit::Free { lower: 2, upper: None }).await.unwrap();
        campaign.edit(Actor::Grove, Edit::Free { lower: 1, upper: None }).await.unwrap();
        other.edit(Actor::Grove, Edit::Resume).await.unwrap();
        assert_eq!(campaign.state().void(), [], "round {round}");
    }
    // Concepts that are added at the same time all get numbers; votes in between disturb nobody.
    let adding = (0..8).map(|number| {
        let campaign = if number % 2 == 0 { campaign.clone() } else { other.clone() };
        async move {
            let concept = NewConcept::named(&format!("new {number}"));
            campaign.edit(Actor::Grove, Edit::Add(vec![concept])).await.unwrap();
        }
    });
    let adding: Vec<_> = adding.map(tokio::spawn).collect();
    for one in adding {
        one.await.unwrap();
    }
    campaign.step().await.unwrap();
    assert_eq!(campaign.state().concepts().count(), FOOD.len() + 8);
    assert_eq!(campaign.state().status(), Status::Asking);
    assert!(!log_of(&campaign, &bench).await.is_empty());
}

/// 40 made-up people on one link for ten: capped, and one exclusion takes their votes out of the belief, and another edit back.
#[tokio::test]
async fn forty_made_up_people_on_one_link() {
    let bench = Bench::new().await;
    let workspace = Workspace::new(bench.store.clone(), bench.clock.clone());
    let concepts = FOOD.map(NewConcept::named);
    let id = workspace.create_campaign(&Caller::local(), "food", quick(), &concepts).await.unwrap();
    let owner = workspace.campaign(Caller::local(), id).await.unwrap();
    let honest = owner.invite("honest".to_owned(), [1; 32]).await.unwrap();
    let limits = LinkLimits { most_workers: Some(10), most_votes: Some(45) };
    let new = NewLink { label: "posted".to_owned(), hours: Some(2), limits };
    let posted = owner.invite_with(new, [2; 32]).await.unwrap();
    let through = async |name: &str, hash: [u8; 32], lie: bool| {
        let (campaign, link) = workspace.invitation(&hash).await.unwrap().unwrap();
        assert_eq!(campaign, id);
        let who = worker(name);
        let access = workspace.campaign(Caller::worker(who.clone()).through(link), id).await.unwrap();
        let mut stored = 0;
        for _ in 0..8 {
            let Next::Ask { screens } = access.next(&who).await.unwrap() else { break };
            let question = *screens[0].screen.question().unwrap();
            let is_so = matches!((question.upper, question.lower), (1, 2 | 5) | (3, 4 | 6));
            let reply = if is_so == lie { Reply::No } else { Reply::Yes };
            let response = Response { worker: who.clone(), screen: screens[0].screen.clone(), reply };
            let vote = SubmittedVote::new(VoteId(Uuid::now_v7()), response);
            match access.cast(vote, &screens[0].ticket).await {
                Ok(_) => stored += 1,
                Err(Error::Store(grove_store::Error::LinkFull)) => break,
                Err(error) => panic!("{error}"),
            }
        }
        stored
    };
    for name in ["ann", "bob", "cem", "dan"] {
        assert_eq!(through(name, [1; 32], false).await, 8);
    }
    let settle = async || owner.campaign().unwrap().settle().await.unwrap();
    settle().await;
    let mut liars = 0;
    for number in 0..40 {
        liars += through(&format!("made up {number}"), [2; 32], true).await;
    }
    assert_eq!(liars, 45);
    settle().await;
    let links = owner.links().await.unwrap();
    let of = |id| links.iter().find(|link| link.credential.id == id).unwrap();
    assert_eq!(
        (of(honest).tally.workers, of(honest).tally.votes, of(honest).limits.is_some()),
        (4, 32, false)
    );
    assert_eq!((of(posted).tally.votes, of(posted).limits), (45, limits));
    assert!(of(posted).tally.workers <= 10 && !of(posted).is_excluded);
    let counts = || {
        let state = owner.state().unwrap();
        (state.votes().count(), state.votes().excluded_count(), state.evidence().unwrap().votes().count())
    };
    assert_eq!(counts(), (77, 0, 77));
    owner.exclude(VoteSource::Link(posted)).await.unwrap();
    assert_eq!(counts(), (32, 45, 32));
    assert!(owner.links().await.unwrap().iter().any(|link| link.is_excluded));
    owner.include(VoteSource::Link(posted)).await.unwrap();
    assert_eq!(counts(), (77, 0, 77));

    // It expires, and works for nobody then.
    bench.clock.pass(Duration::from_secs(2 * 3600));
    assert!(workspace.invitation(&[2; 32]).await.unwrap().is_none());
    assert!(workspace.invitation(&[1; 32]).await.unwrap().is_some());
    for (hours, limits) in [
        (Some(0), LinkLimits::default()),
        (Some(u32::MAX), LinkLimits::default()),
        (None, LinkLimits { most_workers: Some(0), most_votes: None }),
        (None, LinkLimits { most_workers: None, most_votes: Some(0) }),
    ] {
        let refused = owner.invite_with(NewLink { label: String::new(), hours, limits }, [3; 32]).await;
        assert!(matches!(refused, Err(Error::BadSetting { .. })), "{refused:?}");
    }
}
