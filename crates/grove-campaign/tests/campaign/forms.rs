//! Screens of all forms, from the choice to the log and back.

use std::collections::HashSet;
use std::time::Duration;

use grove_campaign::{
    Budget, Campaign, CampaignOptions, Edit, Error, Follower, Next, NoiseSetting, Preset, Settings, Status,
};
use grove_store::{
    Actor, Answer, Form, Position, Reply, Response, Screen, SubmittedVote, Vote, VoteId, WorkerId,
};
use uuid::Uuid;

use crate::bench::{Bench, log_of, path, quick, worker};

/// Names, and the number of what each is under.
const FOOD: [(&str, u32); 12] = [
    ("fruit", 0),
    ("apple", 1),
    ("vegetable", 0),
    ("carrot", 3),
    ("pear", 1),
    ("leek", 3),
    ("drink", 0),
    ("tea", 7),
    ("green tea", 8),
    ("juice", 7),
    ("plum", 1),
    ("onion", 3),
];

fn above(lower: u32) -> Vec<u32> {
    std::iter::successors(Some(FOOD[lower as usize - 1].1), |at| (*at > 0).then(|| FOOD[*at as usize - 1].1))
        .filter(|at| *at > 0)
        .collect()
}

/// What a person says who knows all of it.
fn truth(screen: &Screen) -> Reply {
    match screen {
        Screen::YesNo(question) if above(question.lower).contains(&question.upper) => Reply::Yes,
        Screen::YesNo(_) => Reply::No,
        Screen::Pick { lower, options } => {
            above(*lower).into_iter().find(|one| options.contains(one)).map_or(Reply::None, Reply::Picked)
        }
        Screen::Tick { upper, options } => {
            let below: Vec<u32> = options.iter().copied().filter(|one| above(*one).contains(upper)).collect();
            if below.is_empty() { Reply::None } else { Reply::Ticked(below) }
        }
        Screen::Place { lower } => match FOOD[*lower as usize - 1].1 {
            0 => Reply::Top,
            parent => Reply::Under(parent),
        },
    }
}

fn forms(preset: Preset) -> Settings {
    let Settings { forms, least_gain_per_second, .. } = Settings::new(preset);
    Settings { forms, least_gain_per_second, ..quick() }
}

async fn open(bench: &Bench, settings: &Settings) -> Campaign {
    let campaign = bench.campaign(settings, &FOOD.map(|(name, _)| name)).await;
    let options = CampaignOptions { clock: bench.clock.clone(), queue: 4, ..CampaignOptions::default() };
    let live = Campaign::open_with(&bench.store, campaign.id(), options).await.unwrap();
    live.step().await.unwrap();
    live
}

/// What is sent ahead is reserved: nobody else gets it, it comes next, and it is not sent where little is left for others.
#[tokio::test]
async fn what_is_sent_ahead_is_reserved() {
    let bench = Bench::new().await;
    let live =
        open(&bench, &Settings { forms: vec![Form::YesNo], least_gain_per_second: None, ..quick() }).await;
    let screens = |next: Next| match next {
        Next::Ask { screens } => screens.into_iter().map(|asked| asked.screen).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    let mut shown = HashSet::new();
    for name in ["ann", "bob", "cid"] {
        let held = screens(live.next(&worker(name)).await.unwrap());
        let ahead = live.upcoming(&worker(name), &held).await.unwrap().expect("there are many").screen;
        assert!(shown.insert(held[0].clone()) && shown.insert(ahead.clone()), "nobody else was shown it");
        let both = screens(live.next(&worker(name)).await.unwrap());
        assert_eq!(both, [held[0].clone(), ahead.clone()], "in their order, also after a reload");
        let again = live.upcoming(&worker(name), &both).await.unwrap().map(|asked| asked.screen);
        assert_eq!(again, Some(ahead.clone()));
        answer(&live, &worker(name), held[0].clone(), None).await;
        let next = screens(live.next_or(&worker(name), Some(&ahead)).await.unwrap());
        assert_eq!(next, [ahead]);
    }
    let few = Settings { budget: Budget { votes: Some(10), cents: None }, ..quick() };
    live.edit(Actor::Grove, Edit::Set(Box::new(Settings { forms: vec![Form::YesNo], ..few }))).await.unwrap();
    let held = screens(live.next(&worker("dan")).await.unwrap());
    assert_eq!(live.upcoming(&worker("dan"), &held).await.unwrap(), None, "the budget is nearly used up");
}

/// Nor with more options than are allowed: neither what was reserved before, nor what was chosen for the queue.
#[tokio::test]
async fn a_form_that_is_no_longer_allowed_is_not_handed_out() {
    let screens = |next: Next| match next {
        Next::Ask { screens } => screens.into_iter().map(|asked| asked.screen).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    let crowd = forms(Preset::Crowd);
    assert!(crowd.least_gain_per_second.is_some());
    let only = |form, most_options| Settings { forms: vec![form], most_options, ..crowd.clone() };
    for (before, after) in [
        (only(Form::YesNo, 12), only(Form::Tick, 12)),
        (only(Form::Pick, 12), only(Form::YesNo, 12)),
        (only(Form::Place, 12), only(Form::Pick, 12)),
        (only(Form::Tick, 12), only(Form::Place, 12)),
        (only(Form::Tick, 12), only(Form::Tick, 2)),
    ] {
        let bench = Bench::new().await;
        let live = open(&bench, &before).await;
        let first = screens(live.next(&worker("cid")).await.unwrap()).remove(0);
        answer(&live, &worker("cid"), first, None).await;
        live.step().await.unwrap();
        let held = screens(live.next(&worker("ann")).await.unwrap());
        let ahead = live.upcoming(&worker("ann"), &held).await.unwrap().map(|asked| asked.screen);
        assert!(held.iter().chain(&ahead).all(|screen| before.allows(screen)), "{held:?} {ahead:?}");
        assert!(held.iter().any(|screen| !after.allows(screen)), "{held:?}");

        // The belief has not chosen anew yet.
        live.edit(Actor::Grove, Edit::Set(Box::new(after.clone()))).await.unwrap();
        for name in ["ann", "bob", "cid"] {
            let held = screens(live.next_or(&worker(name), ahead.as_ref()).await.unwrap());
            let ahead = live.upcoming(&worker(name), &held).await.unwrap().map(|asked| asked.screen);
            assert!(held.iter().chain(&ahead).all(|screen| after.allows(screen)), "{held:?} {ahead:?}");
        }
    }
}

async fn answer(live: &Campaign, who: &WorkerId, screen: Screen, took_ms: Option<u32>) -> VoteId {
    let response = Response::new(who.clone(), screen.clone(), truth(&screen)).unwrap();
    let id = VoteId(Uuid::now_v7());
    live.vote(SubmittedVote { id, response, took_ms, link: None }).await.unwrap();
    id
}

/// Workers who come one after the other and answer everything they are shown, until the campaign ends by itself: what they were shown, and why it ended. When
/// somebody has answered all that is worth asking them, somebody new comes.
async fn run(live: &Campaign, mut people: usize) -> (Vec<Screen>, String) {
    let mut shown = Vec::new();
    loop {
        assert!(shown.len() < 150, "{:?}", live.snapshot().measures);
        let who = worker(&format!("w{}", shown.len() % people));
        match live.next(&who).await.unwrap() {
            Next::Ask { screens } => {
                let screen = screens[0].screen.clone();
                answer(live, &who, screen.clone(), Some(4_000)).await;
                shown.push(screen);
                live.step().await.unwrap();
            }
            Next::AllAnswered if people < 40 => people += 1,
            Next::Stopped { reason } => return (shown, reason),
            other => panic!("{who} gets {other:?} after {}", shown.len()),
        }
    }
}

async fn parents(live: &Campaign) -> Vec<u32> {
    let hierarchy = live.follower().await.unwrap().hierarchy().unwrap();
    hierarchy.entries().iter().map(|entry| entry.parent.index() as u32).collect()
}

#[tokio::test]
async fn a_crowd_answers_in_several_forms_until_nothing_is_worth_asking() {
    let bench = Bench::new().await;
    let live = open(&bench, &forms(Preset::Crowd)).await;
    let (shown, reason) = run(&live, 5).await;
    let used: HashSet<Form> = shown.iter().map(Screen::form).collect();
    assert!(used.contains(&Form::Pick) && !used.contains(&Form::Place), "{used:?}");
    assert!(reason.contains("Nothing left to learn"), "{reason}");
    assert_eq!(parents(&live).await, FOOD.map(|(_, parent)| parent), "{}", shown.len());
    assert!(shown.len() < 12 * 6, "{} screens for twelve concepts", shown.len());
    assert_eq!(
        (live.state().status(), live.snapshot().spent.questions),
        (Status::Stopped, shown.len() as u64)
    );
    // The log tells the same again.
    let log = log_of(&live, &bench).await;
    let replayed = Follower::replay(&log).unwrap();
    assert_eq!((replayed.digest(), replayed.astray()), (live.snapshot().digest, None));
    let logged: Vec<Screen> =
        live.state().votes().all().iter().map(|vote| vote.response.screen.clone()).collect();
    assert_eq!(logged, shown, "as they were shown, options in order");
    // The control: with the paper's form alone there is no other, and by the old rules no end.
    let live = open(&bench, &quick()).await;
    let Next::Ask { screens } = live.next(&worker("ann")).await.unwrap() else { panic!("nothing to ask") };
    assert_eq!(screens[0].screen.form(), Form::YesNo);
}

/// As the command line asks its owner.
#[tokio::test]
async fn an_owner_alone_is_asked_little_and_told_when_it_ends() {
    let bench = Bench::new().await;
    let noise = NoiseSetting::Given { false_yes: 0.01, false_no: 0.01 };
    let live = open(&bench, &Settings { noise, divided: 0.0, ..forms(Preset::Owner) }).await;
    let (me, mut screens) = (worker("me"), 0);
    let reason = loop {
        let best = live.next_screen(&me).await.unwrap();
        if let Some(reason) = live.should_stop(best.as_ref()).await.unwrap() {
            break reason;
        }
        answer(&live, &me, best.unwrap().screen, None).await;
        screens += 1;
        assert!(live.advance().await.unwrap() && screens < 60);
    };
    assert!(screens <= 30, "{screens} screens for twelve concepts");
    assert_eq!(parents(&live).await, FOOD.map(|(_, parent)| parent));
    assert!(reason.contains("Nothing left to learn"), "{reason}");
}

/// One answer per person, pair and form: another pick about the same concept shares no option with an earlier one.
#[tokio::test]
async fn nobody_is_shown_a_pair_twice_in_one_form() {
    let bench = Bench::new().await;
    let settings = Settings { least_gain_per_second: None, ..forms(Preset::Crowd) };
    let live = open(&bench, &settings).await;
    let ann = worker("ann");
    let mut seen = HashSet::new();
    for _ in 0..25 {
        let Next::Ask { screens } = live.next(&ann).await.unwrap() else { break };
        let screen = screens[0].screen.clone();
        let pairs: Vec<(Form, u32, u32)> = match &screen {
            Screen::YesNo(question) => vec![(Form::YesNo, question.upper, question.lower)],
            Screen::Pick { lower, options } => options.iter().map(|one| (Form::Pick, *one, *lower)).collect(),
            Screen::Tick { upper, options } => options.iter().map(|one| (Form::Tick, *upper, *one)).collect(),
            Screen::Place { lower } => vec![(Form::Place, 0, *lower)],
        };
        for pair in pairs {
            assert!(seen.insert(pair), "{pair:?} was shown twice");
        }
        answer(&live, &ann, screen, None).await;
        live.step().await.unwrap();
    }
    let pick = |options: &[u32]| {
        let screen = Screen::pick(9, options.to_vec()).unwrap();
        let response = Response::new(worker("bob"), screen, Reply::None).unwrap();
        live.vote(SubmittedVote::new(VoteId(Uuid::now_v7()), response))
    };
    pick(&[1, 2, 3]).await.unwrap();
    for options in [&[1, 2, 3][..], &[3, 2, 1], &[3, 4]] {
        let refused = pick(options).await;
        assert!(
            matches!(refused, Err(Error::Store(grove_store::Error::AlreadyAnswered { .. }))),
            "{options:?}"
        );
    }
    pick(&[4, 5]).await.unwrap();
    let undone = live.undo(&worker("bob")).await.unwrap();
    assert_eq!(undone.response.screen.options(), [4, 5]);
    pick(&[5, 6]).await.unwrap();
    // What does not fit is refused before it reaches the log.
    let wrong = Response { worker: ann, screen: Screen::Place { lower: 1 }, reply: Reply::Picked(2) };
    let refused = live.vote(SubmittedVote::new(VoteId(Uuid::now_v7()), wrong)).await;
    assert!(matches!(refused, Err(Error::BadAnswer(_))), "{refused:?}");
}

/// Workers who hold screens at the same time hold them about different concepts, each with options in an order of their own.
#[tokio::test]
async fn screens_that_are_out_at_the_same_time_are_held_apart() {
    let bench = Bench::new().await;
    let live = open(&bench, &Settings { lease_seconds: 60, ..forms(Preset::Crowd) }).await;
    let mut topics = HashSet::new();
    let mut sorted = 0;
    for number in 0..8 {
        let who = worker(&format!("w{number}"));
        let Next::Ask { screens } = live.next(&who).await.unwrap() else { panic!("nothing for {who}") };
        assert!(topics.insert(screens[0].screen.topic()), "{screens:?} is with another");
        sorted += usize::from(screens[0].screen.clone().in_order() == screens[0].screen);
        let again = live.next(&who).await.unwrap();
        assert_eq!(again, Next::Ask { screens }, "a reload shows the same options in the same order");
    }
    assert!(sorted < 8, "no order was shuffled");
    // What nobody answered is free again.
    bench.clock.pass(Duration::from_secs(61));
    assert!(matches!(live.next(&worker("late")).await.unwrap(), Next::Ask { .. }));
}

/// Answers of every form, and what becomes of them when they are withdrawn, concepts merged and removed, and the log replayed.
#[tokio::test]
async fn edits_reach_the_answers_of_every_form() {
    let bench = Bench::new().await;
    let live = open(&bench, &forms(Preset::Owner)).await;
    let ann = worker("ann");
    let screens = [
        path(1, 2).into(),
        Screen::pick(9, vec![7, 3, 8]).unwrap(),
        Screen::tick(1, vec![2, 5, 4]).unwrap(),
        Screen::place(6).unwrap(),
        Screen::pick(10, vec![7, 1]).unwrap(),
    ];
    let mut ids = Vec::new();
    for screen in screens {
        ids.push(answer(&live, &ann, screen, None).await);
        live.step().await.unwrap();
    }
    let counted = |live: &Campaign| live.with_state(|state| state.evidence().unwrap().responses().count());
    assert_eq!(counted(&live), 5);
    live.withdraw(&ann, ids[4]).await.unwrap();
    let edit = async |edit| live.edit(Actor::Grove, edit).await.unwrap();
    edit(Edit::Merge { gone: 5, kept: 2 }).await;
    edit(Edit::Remove { concept: 7 }).await;
    live.step().await.unwrap();
    assert_eq!(counted(&live), 4, "the pick keeps its other options, the tick its other boxes");
    // The answer itself is gone, and with it what was said.
    edit(Edit::Remove { concept: 8 }).await;
    live.step().await.unwrap();
    assert_eq!(counted(&live), 3);
    // Settings that change the belief read all answers again.
    edit(Edit::Set(Box::new(Settings { seed: 9, ..forms(Preset::Owner) }))).await;
    live.step().await.unwrap();
    assert_eq!(counted(&live), 3);
    let why = live.why(6, None).await.unwrap();
    assert_eq!(why.direct.iter().map(|reason| reason.vote.id).collect::<Vec<_>>(), [ids[3]]);
    assert!(why.direct[0].influence > 0.5, "{why:?}");
    live.erase_worker(Actor::Grove, &ann).await.unwrap();
    live.step().await.unwrap();
    let replayed = Follower::replay(&log_of(&live, &bench).await).unwrap();
    assert_eq!((replayed.digest(), replayed.astray()), (live.snapshot().digest, None));
    assert_eq!(live.state().votes().count(), 4);
}

/// Few answers leave the times as they are expected; from ten on, each form's median is the campaign's own.
#[tokio::test]
async fn seconds_are_those_of_the_campaigns_own_people() {
    let bench = Bench::new().await;
    let live = open(&bench, &quick()).await;
    let before = live.state().seconds();
    let mut votes = Vec::new();
    for number in 0..11 {
        assert_eq!(live.state().seconds(), before, "after {number}");
        let vote = Vote { worker: worker(&format!("w{number}")), question: path(1, 2), answer: Answer::Yes };
        // One went for a coffee, one did not read.
        let took_ms = Some(match number {
            0 => 3_600_000,
            1 => 20,
            _ => 2_000,
        });
        let id = VoteId(Uuid::now_v7());
        votes.push(id);
        live.vote(SubmittedVote { id, response: vote.into(), took_ms, link: None }).await.unwrap();
    }
    assert_eq!(live.state().seconds(), before, "nine of them tell");
    let vote = Vote { worker: worker("w11"), question: path(1, 2), answer: Answer::Yes };
    live.vote(SubmittedVote { took_ms: Some(3_000), ..SubmittedVote::new(VoteId(Uuid::now_v7()), vote) })
        .await
        .unwrap();
    let now = live.state().seconds();
    assert!((now.yes_no - 2.0).abs() < 1e-9 && now.pick == before.pick, "{now:?}");
    // The same from the log, and without the answers that were withdrawn.
    let replayed = Follower::replay(&log_of(&live, &bench).await).unwrap();
    assert_eq!(replayed.read_to(), Position(live.state().position().0));
    live.withdraw(&worker("w5"), votes[5]).await.unwrap();
    assert_eq!(live.state().seconds(), before);
}
