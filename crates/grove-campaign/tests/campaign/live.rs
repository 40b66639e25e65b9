//! Workers, leases, bundles, budgets, and programs that die.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use grove_campaign::{
    Budget, Campaign, CampaignOptions, Edit, Error, Follower, Next, Settings, Status, TargetSetting,
};
use grove_store::{Actor, Answer, Question, SubmittedVote, Vote, VoteId, WorkerId};
use uuid::Uuid;

use crate::bench::{Bench, FOOD, log_of, path, quick, worker};

fn options(bench: &Bench) -> CampaignOptions {
    let (clock, poll) = (bench.clock.clone(), Duration::from_millis(20));
    CampaignOptions { clock, queue: 4, poll, ..CampaignOptions::default() }
}

async fn open(bench: &Bench, settings: &Settings) -> Campaign {
    let campaign = bench.campaign(settings, &FOOD).await;
    let live = Campaign::open_with(&bench.store, campaign.id(), options(bench)).await.unwrap();
    live.step().await.unwrap();
    live
}

async fn questions(live: &Campaign, who: &WorkerId) -> Vec<Question> {
    match live.next(who).await.unwrap() {
        Next::Ask { screens } => screens.into_iter().map(|asked| *asked.screen.question().unwrap()).collect(),
        other => panic!("{who} gets {other:?}"),
    }
}

async fn answer(live: &Campaign, who: &WorkerId, question: Question, answer: Answer) -> VoteId {
    let id = VoteId(Uuid::now_v7());
    live.vote(SubmittedVote::new(id, Vote { worker: who.clone(), question, answer })).await.unwrap();
    id
}

/// As a person would who knows that apples and pears are fruit, and carrots and leek vegetables.
fn truth(question: Question) -> Answer {
    let is_so = matches!((question.upper, question.lower), (1, 2 | 5) | (3, 4 | 6));
    if is_so { Answer::Yes } else { Answer::No }
}

/// Eight people at once; how many of them hold a question that another holds.
async fn shared_questions(settings: &Settings) -> usize {
    let bench = Bench::new().await;
    let live = open(&bench, settings).await;
    let asking: Vec<_> = (0..8)
        .map(|number| {
            let live = live.clone();
            tokio::spawn(async move { questions(&live, &worker(&format!("w{number}"))).await[0] })
        })
        .collect();
    let mut held = Vec::new();
    for one in asking {
        held.push(one.await.unwrap());
    }
    held.len() - held.iter().collect::<HashSet<_>>().len()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_workers_never_hold_the_same_question() {
    assert_eq!(shared_questions(&quick()).await, 0);
    // The control: in bundles they do.
    assert!(shared_questions(&Settings { votes_per_question: 4, ..quick() }).await > 0);
}

#[tokio::test]
async fn an_abandoned_question_returns() {
    let bench = Bench::new().await;
    let live = open(&bench, &Settings { lease_seconds: 60, ..quick() }).await;
    let (ann, bob) = (worker("ann"), worker("bob"));
    let first = questions(&live, &ann).await;
    assert_eq!(questions(&live, &ann).await, first, "a reload shows the same question");
    assert_ne!(questions(&live, &bob).await, first);
    let give_back =
        async |question: Question| bench.store.end_lease(live.id(), &bob, &question.into()).await.unwrap();
    assert!(give_back(questions(&live, &bob).await[0]).await);
    bench.clock.pass(Duration::from_secs(59));
    assert_ne!(questions(&live, &bob).await, first, "ann still has it");
    give_back(questions(&live, &bob).await[0]).await;
    bench.clock.pass(Duration::from_secs(1));
    assert_eq!(questions(&live, &bob).await, first, "it was the best, and is again");
}

#[tokio::test]
async fn nobody_is_asked_what_they_have_answered() {
    let bench = Bench::new().await;
    let live = open(&bench, &quick()).await;
    let ann = worker("ann");
    let mut asked = HashSet::new();
    loop {
        match live.next(&ann).await.unwrap() {
            Next::Ask { screens } => {
                let question = *screens[0].screen.question().unwrap();
                assert!(asked.insert(question), "{question:?} was asked twice");
                answer(&live, &ann, question, truth(question)).await;
                if asked.len() % 3 == 0 {
                    live.step().await.unwrap();
                }
            }
            other => {
                assert_eq!(other, Next::AllAnswered);
                break;
            }
        }
    }
    assert_eq!(asked.len(), 6 * 5, "all ordered pairs of six concepts");
    live.step().await.unwrap();
    let snapshot = live.snapshot();
    let certain = |name: &str, parent: &str| {
        let found = snapshot.hierarchy.concepts().find(|(_, entry)| entry.name == name).unwrap().0;
        assert_eq!(snapshot.hierarchy.parent_name(found), parent, "{name}");
    };
    for (name, parent) in [("apple", "fruit"), ("leek", "vegetable"), ("fruit", "food")] {
        certain(name, parent);
    }
    assert_eq!((live.lag(), snapshot.votes_read), (0, 30));
}

#[tokio::test]
async fn a_task_has_several_questions_and_survives_a_reload() {
    let bench = Bench::new().await;
    let live = open(&bench, &Settings { questions_per_task: 5, ..quick() }).await;
    let ann = worker("ann");
    let task = questions(&live, &ann).await;
    assert_eq!(task.iter().collect::<HashSet<_>>().len(), 5);
    for &question in &task[..2] {
        answer(&live, &ann, question, truth(question)).await;
    }
    let rest: BTreeSet<Question> = questions(&live, &ann).await.into_iter().collect();
    assert_eq!(rest, task[2..].iter().copied().collect());
}

#[tokio::test]
async fn bundles_are_filled_and_closed() {
    let bench = Bench::new().await;
    let live = open(&bench, &Settings { votes_per_question: 3, ..quick() }).await;
    let mut votes: BTreeMap<Question, usize> = BTreeMap::new();
    for number in 0..12 {
        let who = worker(&format!("w{number}"));
        let question = questions(&live, &who).await[0];
        answer(&live, &who, question, truth(question)).await;
        *votes.entry(question).or_default() += 1;
        live.step().await.unwrap();
    }
    assert_eq!(votes.values().copied().collect::<Vec<_>>(), [3, 3, 3, 3], "{votes:?}");
}

#[tokio::test]
async fn a_budget_is_not_passed_and_ends_the_campaign() {
    let bench = Bench::new().await;
    let settings = Settings {
        price_cents: 2.0,
        budget: Budget { votes: None, cents: Some(13.0) },
        questions_per_task: 3,
        ..quick()
    };
    let live = open(&bench, &settings).await;
    let (ann, bob) = (worker("ann"), worker("bob"));
    let all = async |who: &WorkerId, questions: &[Question]| {
        for question in questions {
            assert_eq!(live.state().status(), Status::Asking);
            answer(&live, who, *question, truth(*question)).await;
            live.step().await.unwrap();
        }
    };
    let first = questions(&live, &ann).await;
    all(&ann, &first).await;
    let second = questions(&live, &bob).await;
    assert_eq!((first.len(), second.len()), (3, 3), "six votes are 12 cents, and a seventh would pass 13");
    all(&bob, &second[..1]).await;
    // What bob is asked will probably be answered.
    assert_eq!(live.next(&ann).await.unwrap(), Next::AllHandedOut);
    assert_eq!(live.next(&worker("cem")).await.unwrap(), Next::AllHandedOut);
    all(&bob, &second[1..]).await;
    let Next::Stopped { reason } = live.next(&ann).await.unwrap() else { panic!("it should have ended") };
    assert!(reason.contains("0.12 of 0.13"), "{reason}");
    assert_eq!(live.snapshot().spent.questions, 6);
    // More money, and it goes on.
    let richer = Settings { budget: Budget { votes: None, cents: Some(20.0) }, ..settings };
    live.edit(Actor::Grove, Edit::Set(Box::new(richer))).await.unwrap();
    live.edit(Actor::Grove, Edit::Resume).await.unwrap();
    assert_eq!(questions(&live, &ann).await.len(), 3);
}

#[tokio::test]
async fn a_target_ends_the_campaign_when_it_is_reached() {
    let bench = Bench::new().await;
    let target = Some(TargetSetting { certainty: 0.9, mean: false });
    let live = open(&bench, &Settings { target, ..quick() }).await;
    let mut asked = 0;
    loop {
        let who = worker(&format!("w{asked}"));
        match live.next(&who).await.unwrap() {
            Next::Ask { screens } => {
                let question = *screens[0].screen.question().unwrap();
                answer(&live, &who, question, truth(question)).await;
                asked += 1;
                live.step().await.unwrap();
            }
            Next::Stopped { reason } => {
                assert!(reason.contains("90 % certain"), "{reason}");
                break;
            }
            other => panic!("{other:?}"),
        }
        assert!(asked < 120, "{:?}", live.snapshot().measures);
    }
    // (N - 1) log2(N + 1) bits, at the least.
    assert!(asked >= 14, "{asked} votes cannot tell one of 7^5 hierarchies");
    assert!(live.snapshot().measures.unwrap().least_certain >= 0.85);
}

#[tokio::test]
async fn a_paused_campaign_hears_only_those_it_has_asked() {
    let bench = Bench::new().await;
    let live = open(&bench, &quick()).await;
    let (ann, bob) = (worker("ann"), worker("bob"));
    let asked = questions(&live, &ann).await[0];
    live.edit(Actor::Grove, Edit::Pause { reason: "lunch".into() }).await.unwrap();
    assert_eq!(live.next(&bob).await.unwrap(), Next::Paused { reason: "lunch".into() });
    let yes = |worker, question| {
        let vote = Vote { worker, question, answer: Answer::Yes };
        SubmittedVote::new(VoteId(Uuid::now_v7()), vote)
    };
    let uninvited = yes(bob, path(1, 2));
    assert!(matches!(live.vote(uninvited).await, Err(Error::NotAsking(_))));
    let vote = yes(ann.clone(), asked);
    let first = live.vote(vote.clone()).await.unwrap();
    let again = live.vote(vote).await.unwrap();
    assert_eq!((first.position, first.repeated, again.repeated), (again.position, false, true));
    live.edit(Actor::Grove, Edit::Resume).await.unwrap();
    let undone = live.undo(&ann).await.unwrap();
    assert_eq!(undone.response.screen, asked.into());
    assert!(matches!(live.undo(&ann).await, Err(Error::NothingToUndo)));
    live.step().await.unwrap();
    assert_eq!(live.snapshot().spent.questions, 0);
}

#[tokio::test]
async fn one_program_believes_and_the_other_follows_until_it_takes_over() {
    let bench = Bench::new().await;
    let campaign = bench.campaign(&quick(), &FOOD).await;
    let here = Campaign::open_with(&bench.store, campaign.id(), options(&bench)).await.unwrap();
    let there = Campaign::open_with(&bench.again().await, campaign.id(), options(&bench)).await.unwrap();
    here.step().await.unwrap();
    let ann = worker("ann");
    answer(&there, &ann, path(1, 2), Answer::Yes).await;
    there.step().await.unwrap();
    assert_eq!((there.snapshot().runs_here, there.lag()), (false, 1));
    here.step().await.unwrap();
    there.step().await.unwrap();
    assert!(here.snapshot().runs_here && !there.snapshot().runs_here);
    assert_eq!(here.snapshot().digest, there.snapshot().digest);
    drop(here);
    answer(&there, &ann, path(1, 5), Answer::Yes).await;
    bench.clock.pass(Duration::from_secs(60));
    there.step().await.unwrap();
    assert_eq!((there.snapshot().runs_here, there.lag()), (true, 0));
    let again = Campaign::open(&bench.store, campaign.id(), bench.clock.clone()).await.unwrap();
    assert_eq!(again.follower().await.unwrap().digest(), there.snapshot().digest);
}

/// Eight clients vote while the program is killed (dropped without a word) and started again; whatever was acknowledged is there once, and the belief is the
/// one that the log tells.
#[tokio::test(flavor = "multi_thread")]
async fn killed_in_the_middle() {
    let bench = Bench::new().await;
    let campaign = bench.campaign(&quick(), &FOOD).await;
    let mut acknowledged: Vec<VoteId> = Vec::new();
    for life in 0..4 {
        let store = bench.again().await;
        bench.clock.pass(Duration::from_secs(60));
        let live = Campaign::start(&store, campaign.id(), options(&bench)).await.unwrap();
        let clients: Vec<_> = (0..8)
            .map(|client| {
                let live = live.clone();
                tokio::spawn(async move {
                    let mut mine = Vec::new();
                    for turn in 0..3 {
                        let who = worker(&format!("{life} {client} {turn}"));
                        let question = questions(&live, &who).await[0];
                        mine.push(answer(&live, &who, question, truth(question)).await);
                    }
                    mine
                })
            })
            .collect();
        for client in clients {
            acknowledged.extend(client.await.unwrap());
        }
        // The belief is somewhere in the middle.
        drop(live);
    }
    let live = Campaign::start(&bench.store, campaign.id(), options(&bench)).await.unwrap();
    // The last thing that a dying program did may have been to ask for the belief; then its time has to end first.
    let mut settled = false;
    for _ in 0..100 {
        bench.clock.pass(Duration::from_secs(60));
        settled = tokio::time::timeout(Duration::from_millis(200), live.settle()).await.is_ok();
        if settled {
            break;
        }
    }
    assert!(settled, "{} votes still wait", live.lag());
    let stored: Vec<VoteId> = live.with_state(|state| state.votes().alive().map(|vote| vote.id).collect());
    assert_eq!(stored.len(), acknowledged.len());
    assert_eq!(stored.iter().collect::<HashSet<_>>(), acknowledged.iter().collect());
    let digest = live.snapshot().digest;
    let follower = live.follower().await.unwrap().clone();
    live.close().await.unwrap();
    let log = log_of(&campaign, &bench).await;
    let replayed = Follower::replay(&log).unwrap();
    assert_eq!((replayed.digest(), replayed.astray()), (follower.digest(), None));
    assert!(digest == follower.digest() || follower.state().position() > grove_store::Position(1));
}

/// A started campaign shows at once what was published last, and asks what was chosen last; the belief follows.
#[tokio::test(flavor = "multi_thread")]
async fn a_start_does_not_wait_for_the_belief() {
    let bench = Bench::new().await;
    let live = open(&bench, &quick()).await;
    for number in 0..30 {
        let who = worker(&format!("w{number}"));
        let question = questions(&live, &who).await[0];
        answer(&live, &who, question, truth(question)).await;
        live.step().await.unwrap();
    }
    let (id, last) = (live.id(), live.snapshot());
    live.edit(Actor::Grove, Edit::Rename { concept: 1, name: "fruits".to_owned() }).await.unwrap();
    live.close().await.unwrap();

    let live = Campaign::start(&bench.store, id, options(&bench)).await.unwrap();
    let first = live.snapshot();
    if first.rebuilding {
        assert_eq!((first.position, first.digest, first.numbers.len()), (last.position, last.digest, 6));
        assert_eq!((first.measures, first.spent), (last.measures, last.spent));
        assert_eq!((&first.queue, &first.reserve), (&last.queue, &last.reserve));
        assert_eq!(first.forecast, last.forecast);
        let parents = |snapshot: &grove_campaign::Snapshot| {
            let entries = snapshot.hierarchy.entries().iter();
            entries.map(|entry| (entry.parent, entry.certainty, entry.yes, entry.no)).collect::<Vec<_>>()
        };
        assert_eq!(parents(&first), parents(&last));
        assert_eq!(first.hierarchy.entries()[0].name, "fruits", "names come from the log");
    }
    live.settle().await.unwrap();
    assert!(!live.snapshot().rebuilding);
    live.close().await.unwrap();
}

/// Whatever the belief is doing, nothing that a request needs waits for it.
#[tokio::test(flavor = "multi_thread")]
async fn requests_do_not_wait_for_the_belief() {
    let bench = Bench::new().await;
    let live = open(&bench, &quick()).await;
    let ann = worker("ann");
    answer(&live, &ann, path(1, 2), Answer::Yes).await;
    live.step().await.unwrap();
    let busy = live.follower().await.unwrap();
    let requests = async {
        let why = live.why(2, Some(1)).await.unwrap();
        assert_eq!((why.direct.len(), why), (1, busy.why(2, Some(1)).unwrap()));
        let question = questions(&live, &worker("bob")).await[0];
        answer(&live, &worker("bob"), question, Answer::No).await;
        live.edit(Actor::Grove, Edit::Rename { concept: 2, name: "apples".to_owned() }).await.unwrap();
        live.import(vec![Vote { worker: worker("cem"), question: path(1, 5), answer: Answer::Yes }.into()])
            .await
            .unwrap();
        live.undo(&ann).await.unwrap();
    };
    tokio::time::timeout(Duration::from_secs(20), requests).await.unwrap();
}
