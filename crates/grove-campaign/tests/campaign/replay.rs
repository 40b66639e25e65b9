//! Log, settings and seed give the same bits, however the votes were taken in.

use grove_belief::{ENGINE_REVISION, Reason, ReportOptions};
use grove_campaign::operations::{Caller, Workspace};
use grove_campaign::{
    Campaign, CampaignOptions, Digest, Edit, EngineSetting, Follower, NewConcept, Settings, Way, Work,
};
use grove_store::{
    Actor, Answer, Claim, Correction, CorrectionId, Entry, Event, HolderId, Moment, SubmittedVote, Vote,
    VoteId,
};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use uuid::Uuid;

use crate::bench::{Bench, FOOD, learning, log_of, path, quick, vote, worker};

/// A campaign in which a little of everything happens, taken in after every `batch` steps.
async fn eventful(bench: &Bench, settings: &Settings, batch: usize, steps: usize) -> Campaign {
    let campaign = bench.campaign(settings, &FOOD).await;
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    for step in 1..=steps {
        let who = worker(["ann", "bob", "models, sure"][rng.random_range(0..3)]);
        let (upper, lower) = (rng.random_range(1..=6), rng.random_range(1..=6));
        let answer = [Answer::Yes, Answer::No, Answer::CantSay][rng.random_range(0..3)];
        if upper != lower {
            // A worker who has answered it already is refused; that is part of the story.
            let _ = vote(&campaign, &who, path(upper, lower), answer).await;
        }
        match step {
            7 => drop(campaign.undo(&who).await),
            9 => {
                let (id, correction) =
                    (CorrectionId(Uuid::now_v7()), Correction::NotUnder { lower: 1, upper: 2 });
                campaign.edit(Actor::Grove, Edit::Correct { id, correction }).await.unwrap();
            }
            12 => campaign.edit(Actor::Grove, Edit::Add(vec![NewConcept::named("quince")])).await.unwrap(),
            15 => campaign.edit(Actor::Grove, Edit::Merge { gone: 5, kept: 2 }).await.unwrap(),
            18 => campaign.edit(Actor::Grove, Edit::Remove { concept: 6 }).await.unwrap(),
            21 => {
                let otherwise = Settings { seed: settings.seed + 1, ..settings.clone() };
                campaign.edit(Actor::Grove, Edit::Set(Box::new(otherwise))).await.unwrap();
            }
            _ => {}
        }
        if step % batch == 0 {
            assert!(campaign.advance().await.unwrap());
        }
    }
    assert!(campaign.advance().await.unwrap());
    campaign
}

#[tokio::test]
async fn models_are_no_people_from_their_first_vote_on() {
    let bench = Bench::new().await;
    let campaign = bench.campaign(&learning(), &FOOD).await;
    let (ann, models) = (worker("ann"), worker("models, sure"));
    let are_models = || {
        campaign.with_state(|state| {
            let evidence = state.evidence().unwrap();
            [&ann, &models].map(|one| evidence.is_model(state.votes().worker(one)))
        })
    };
    vote(&campaign, &ann, path(1, 2), Answer::Yes).await.unwrap();
    assert!(campaign.advance().await.unwrap());
    vote(&campaign, &models, path(1, 2), Answer::Yes).await.unwrap();
    assert!(campaign.advance().await.unwrap());
    assert_eq!(are_models(), [false, true]);
    let otherwise = Settings { names_as_evidence: !learning().names_as_evidence, ..learning() };
    campaign.edit(Actor::Grove, Edit::Set(Box::new(otherwise))).await.unwrap();
    assert_eq!(are_models(), [false, true], "also when all evidence is collected again");
}

#[tokio::test]
async fn a_replay_comes_to_the_same_bits() {
    let bench = Bench::new().await;
    let exact = Settings { engine: EngineSetting::Exact, ..quick() };
    for settings in [quick(), learning(), exact] {
        let mut digests: Vec<Digest> = Vec::new();
        for batch in [1, 4, 100] {
            let campaign = eventful(&bench, &settings, batch, 30).await;
            let live = campaign.follower().await.unwrap().digest();
            let again = Follower::replay(&log_of(&campaign, &bench).await).unwrap();
            assert_eq!(again.digest(), live, "batches of {batch}");
            assert_eq!(again.astray(), None);
            assert_eq!(again.measures(), campaign.follower().await.unwrap().measures());
            digests.push(live);
        }
        // The control: had timing no influence at all, one at a time and all at once would have moved alike.
        if !matches!(settings.engine, EngineSetting::Exact) {
            assert_ne!(digests[0], digests[2]);
        }
    }
}

#[tokio::test]
async fn a_program_started_again_goes_on_with_the_same_bits() {
    let bench = Bench::new().await;
    let settings = learning();
    let whole = bench.campaign(&settings, &FOOD).await;
    let mut broken = bench.campaign(&settings, &FOOD).await;
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for step in 0..24 {
        let (upper, lower) = (1 + rng.random_range(0..6), 1 + rng.random_range(0..6));
        if upper == lower {
            continue;
        }
        let who = worker(&format!("worker {step}"));
        for campaign in [&whole, &broken] {
            vote(campaign, &who, path(upper, lower), Answer::Yes).await.unwrap();
            if step % 3 == 0 {
                campaign.advance().await.unwrap();
            }
        }
        if step % 5 == 0 {
            // Killed: nothing is given back. The next one has to wait until the holder's time has ended.
            broken = Campaign::open(&bench.again().await, broken.id(), bench.clock.clone()).await.unwrap();
            assert!(!broken.advance().await.unwrap() || step == 0, "another still has the belief");
            bench.clock.pass(std::time::Duration::from_secs(60));
            assert!(whole.advance().await.unwrap() == broken.advance().await.unwrap());
        }
    }
    whole.advance().await.unwrap();
    broken.advance().await.unwrap();
    let (one, other) = (log_of(&whole, &bench).await, log_of(&broken, &bench).await);
    for (campaign, log) in [(&whole, &one), (&broken, &other)] {
        assert_eq!(Follower::replay(log).unwrap().digest(), campaign.follower().await.unwrap().digest());
    }
}

#[tokio::test]
async fn every_position_can_be_replayed() {
    let bench = Bench::new().await;
    let campaign = eventful(&bench, &quick(), 2, 24).await;
    let log = log_of(&campaign, &bench).await;
    let mut step_by_step = Follower::new();
    for end in 1..=log.len() {
        step_by_step.read_all(&log[end - 1..end]).unwrap();
        let jumped = Follower::replay(&log[..end]).unwrap();
        assert_eq!(jumped.digest(), step_by_step.digest(), "up to entry {end}");
        assert_eq!(jumped.read_to(), log[end - 1].position);
    }
}

fn votes(count: usize) -> Vec<Entry> {
    let mut events = vec![Event::SettingsChanged { settings: quick().to_json() }];
    for concept in 1..=4 {
        let name = format!("c{concept}");
        events.push(Event::ConceptAdded {
            concept,
            name,
            definition: String::new(),
            synonyms: vec![],
            article: String::new(),
            origin: serde_json::Value::Null,
        });
    }
    for number in 0..count {
        let id = VoteId(Uuid::from_u128(number as u128));
        let who = worker(&format!("w{number}"));
        let question = path(1 + number as u32 % 3, 4);
        let vote = Vote { worker: who, question, answer: Answer::Yes };
        events.push(Event::VoteCast(SubmittedVote::new(id, vote)));
    }
    let entry = |(at, event): (i64, Event)| Entry {
        position: grove_store::Position(at + 1),
        at: Moment(0),
        actor: Actor::Grove,
        event,
    };
    (0..).zip(events).map(entry).collect()
}

/// Moves happen at records and nowhere else: the same records give the same bits, whenever entries were read.
#[test]
fn reading_moves_nothing() {
    let log = votes(12);
    let (mut at_once, mut one_by_one) = (Follower::new(), Follower::new());
    at_once.read_all(&log).unwrap();
    for entry in &log {
        one_by_one.read_all(std::slice::from_ref(entry)).unwrap();
    }
    assert_eq!(at_once.belief().map(drop), None);
    for to in [6, 9, 17] {
        let to = grove_store::Position(to);
        let work = at_once.advance(to, Way::Follow, 1).unwrap();
        assert_eq!(one_by_one.advance(to, Way::Follow, 1).unwrap(), work);
        assert_eq!(at_once.state().position(), to);
    }
    // The control: a different record is a different belief.
    let mut otherwise = Follower::new();
    otherwise.read_all(&log).unwrap();
    otherwise.advance(grove_store::Position(17), Way::Build, 0).unwrap();
    assert_ne!(otherwise.digest(), at_once.digest());
}

#[test]
fn a_digest_that_does_not_fit_is_noticed() {
    let mut log = votes(3);
    let mut follower = Follower::new();
    follower.read_all(&log).unwrap();
    let to = log.last().unwrap().position;
    let work = follower.advance(to, Way::Follow, 0).unwrap();
    let record = |work: serde_json::Value| Entry {
        position: grove_store::Position(to.0 + 1),
        at: Moment(0),
        actor: Actor::Grove,
        event: Event::Advanced { votes_to: to, work, epoch: 0 },
    };
    let mut json = serde_json::to_value(work).unwrap();
    log.push(record(json.clone()));
    assert_eq!(Follower::replay(&log).unwrap().astray(), None);
    json["digest"] = "0000000000000001".into();
    *log.last_mut().unwrap() = record(json);
    assert_eq!(Follower::replay(&log).unwrap().astray(), Some(grove_store::Position(to.0 + 1)));
}

/// A belief that was kept, and the log after it, make the same belief as the log alone; one that does not fit is passed over.
#[tokio::test]
async fn a_kept_belief_goes_on_to_the_same_bits() {
    let bench = Bench::new().await;
    for settings in [quick(), learning()] {
        let campaign = eventful(&bench, &settings, 3, 25).await;
        let (id, clock) = (campaign.id(), bench.clock.clone());
        let kept_at = campaign.follower().await.unwrap().state().position();
        campaign.sweep(2).await.unwrap();
        let swept = campaign.follower().await.unwrap().digest();
        campaign.close().await.unwrap();
        let kept = bench.store.newest_snapshot(id, "belief", None).await.unwrap().unwrap();
        assert!(kept.position >= kept_at && !kept.bytes.is_empty());

        let thawed = Campaign::open(&bench.store, id, clock.clone()).await.unwrap();
        let (digest, log) = (thawed.follower().await.unwrap().digest(), log_of(&thawed, &bench).await);
        let replayed = Follower::replay(&log).unwrap();
        assert_eq!((replayed.digest(), replayed.astray()), (digest, None));
        // Rates that are learnt were drawn anew, since they are not among the bytes.
        let is_learnt = settings == learning();
        assert_eq!(digest != swept, is_learnt);
        assert_eq!(
            records(&log).iter().filter(|work| work.way == Way::Redraw).count(),
            usize::from(is_learnt)
        );
        for number in 0..6 {
            vote(&thawed, &worker(&format!("late {number}")), path(1, 3), Answer::No).await.unwrap();
            thawed.advance().await.unwrap();
        }
        let log = log_of(&thawed, &bench).await;
        assert_eq!(Follower::replay(&log).unwrap().digest(), thawed.follower().await.unwrap().digest());
        let digest = thawed.follower().await.unwrap().digest();
        drop(thawed);
        assert_eq!(
            Campaign::open(&bench.store, id, clock.clone()).await.unwrap().follower().await.unwrap().digest(),
            digest
        );

        // Bytes of another belief: the digest in them does not fit, so the log is replayed.
        let mut other = kept.clone();
        let last = other.bytes.len() - 1;
        other.bytes[last] ^= 1;
        bench.store.save_snapshot(id, "belief", other, 2).await.unwrap();
        assert_eq!(
            Campaign::open(&bench.store, id, clock).await.unwrap().follower().await.unwrap().digest(),
            digest
        );
    }
}

/// A server stores its belief now and then. What it stores, publishes and writes into the log is one belief, and its size does not depend on how many
/// people voted.
#[tokio::test]
async fn a_belief_that_is_stored_now_and_then_takes_little_room() {
    let bench = Bench::new().await;
    let clock = bench.clock.clone();
    let options = CampaignOptions { clock, keep_every: 20, ..CampaignOptions::default() };
    let id = bench.campaign(&learning(), &FOOD).await.id();
    let campaign = Campaign::open_with(&bench.store, id, options.clone()).await.unwrap();
    let kept = async || bench.store.newest_snapshot(id, "belief", None).await.unwrap().unwrap();
    let mut sizes = Vec::new();
    for round in 0..3 {
        for number in 0..if round == 2 { 400 } else { 20 } {
            let who = worker(&format!("person {round} {number}"));
            vote(&campaign, &who, path(1 + number % 3, 5), Answer::Yes).await.unwrap();
        }
        while campaign.step().await.unwrap() {}
        let log = log_of(&campaign, &bench).await;
        let last = *records(&log).last().unwrap();
        assert_eq!(last.way, Way::Redraw, "round {round}");
        assert_eq!(campaign.snapshot().digest, last.digest, "what is shown is what is stored");
        let replayed = Follower::replay(&log).unwrap();
        assert_eq!((replayed.digest(), replayed.astray()), (last.digest, None));
        let opened = Campaign::open_with(&bench.store, id, options.clone()).await.unwrap();
        assert_eq!(opened.follower().await.unwrap().digest(), last.digest);
        sizes.push(kept().await.bytes.len());
    }
    // For 400 more people, rates would take 24 bytes for each of them and each of 60 trees. The numbers of divided concepts vary a little.
    assert!(sizes[2] < sizes[1] + 60 * 24, "{sizes:?}");
}

/// Once a belief has followed as many votes as there are concepts, a check sweeps it, once, and records that.
#[tokio::test]
async fn a_belief_that_has_followed_many_votes_is_swept() {
    let bench = Bench::new().await;
    let campaign = bench.campaign(&learning(), &FOOD).await;
    campaign.step().await.unwrap();
    let mut due = 0;
    for number in 0..2 * FOOD.len() {
        vote(&campaign, &worker(&format!("person {number}")), path(1, 3), Answer::Yes).await.unwrap();
        campaign.step().await.unwrap();
        let before = records(&log_of(&campaign, &bench).await).len();
        while campaign.check().await.unwrap() {}
        let log = log_of(&campaign, &bench).await;
        let swept = records(&log).split_off(before).iter().filter(|work| work.sweeps >= 40).count();
        assert_eq!(swept, usize::from((number + 1) % FOOD.len() == 0), "after {} votes", number + 1);
        due += swept;
        let digest = campaign.follower().await.unwrap().digest();
        assert_eq!(Follower::replay(&log).unwrap().digest(), digest);
    }
    assert_eq!(due, 2);
}

async fn open_at(bench: &Bench, id: grove_store::CampaignId, revision: u32) -> Campaign {
    let clock = bench.clock.clone();
    let options = CampaignOptions { clock, revision, ..CampaignOptions::default() };
    Campaign::open_with(&bench.store, id, options).await.unwrap()
}

/// Everything that a state holds of votes, concepts and corrections.
fn summary(campaign: &Campaign) -> String {
    let state = campaign.state();
    let status = (state.status(), state.reason());
    format!("{:?} {:?} {:?} {status:?}", state.votes().all(), state.concepts(), state.corrections())
}

fn records(log: &[Entry]) -> Vec<Work> {
    let work = |entry: &Entry| match &entry.event {
        Event::Advanced { work, .. } => Work::from_json(work),
        _ => None,
    };
    log.iter().filter_map(work).collect()
}

/// A new revision of the engine builds the belief once from the log of the old one, and goes on from there; and back again.
#[tokio::test]
async fn another_revision_of_the_engine_builds_the_belief_once() {
    let bench = Bench::new().await;
    for settings in [quick(), learning()] {
        let campaign = eventful(&bench, &settings, 4, 24).await;
        campaign.step().await.unwrap();
        let (id, mut state) = (campaign.id(), summary(&campaign));
        let mut hierarchy = campaign.snapshot().hierarchy.clone();
        campaign.clone().close().await.unwrap();
        let mut written = records(&log_of(&campaign, &bench).await).len();

        for revision in [ENGINE_REVISION + 1, ENGINE_REVISION] {
            let other = open_at(&bench, id, revision).await;
            assert_eq!(summary(&other), state, "the state does not depend on the engine");
            assert!(other.follower().await.unwrap().belief().is_none());
            let shown = other.snapshot();
            assert_eq!((shown.rebuilding, shown.earlier_version), (true, true));
            assert_eq!(shown.hierarchy, hierarchy, "what was published last is shown");
            assert!(other.step().await.unwrap());
            let shown = other.snapshot();
            assert_eq!((shown.rebuilding, shown.earlier_version), (false, false));
            let log = log_of(&other, &bench).await;
            let works = records(&log);
            assert_eq!(works.len(), written + 1, "one record was written");
            assert_eq!(works.last().map(|work| (work.way, work.revision)), Some((Way::Build, revision)));
            let Event::Advanced { work, .. } = &log.last().unwrap().event else { panic!("a record") };
            assert_eq!(work.get("revision").is_some(), revision != 1, "the first revision is not written");

            for number in 0..3 {
                let who = worker(&format!("late {revision} {number}"));
                vote(&other, &who, path(1, 3), Answer::No).await.unwrap();
                other.step().await.unwrap();
            }
            let digest = other.follower().await.unwrap().digest();
            let log = log_of(&other, &bench).await;
            let replayed = Follower::at_revision(revision).replayed(&log).unwrap();
            assert_eq!((replayed.digest(), replayed.astray()), (digest, None));
            state = summary(&other);
            other.close().await.unwrap();

            let again = open_at(&bench, id, revision).await;
            let log = log_of(&again, &bench).await;
            written = records(&log).len();
            let replayed = Follower::at_revision(revision).replayed(&log).unwrap();
            assert_eq!(replayed.astray(), None);
            let digest = again.follower().await.unwrap().digest();
            assert_eq!(digest, replayed.digest(), "also from the stored belief");
            again.step().await.unwrap();
            hierarchy = again.snapshot().hierarchy.clone();
            assert_eq!(records(&log_of(&again, &bench).await).len(), written, "it is not built twice");
            again.close().await.unwrap();
        }
    }
}

/// A campaign in which 18 of 30 people say that a tomato is a fruit, and the others that it is a vegetable.
async fn divided(bench: &Bench) -> Campaign {
    let campaign = bench.campaign(&learning(), &["fruit", "vegetable", "tomato", "apple", "carrot"]).await;
    let (fruit, vegetable, tomato, apple, carrot) = (1, 2, 3, 4, 5);
    for person in 0..30 {
        let who = worker(&format!("person {person}"));
        // Two in five hold the second place, and everybody errs now and then.
        let second = person % 5 >= 3;
        let asked = [
            (fruit, tomato, !second),
            (vegetable, tomato, second),
            (fruit, apple, person % 10 != 1),
            (vegetable, carrot, person % 10 != 2),
            (vegetable, apple, person % 10 == 4),
            (fruit, carrot, person % 10 == 6),
            (fruit, vegetable, person == 7),
            (tomato, apple, person == 8),
            (apple, tomato, person == 9),
            (carrot, tomato, person == 10),
        ];
        for (upper, lower, yes) in asked {
            let answer = if yes { Answer::Yes } else { Answer::No };
            vote(&campaign, &who, path(upper, lower), answer).await.unwrap();
        }
    }
    campaign.step().await.unwrap();
    campaign
}

/// People who differ are told from votes that are missing, by the hierarchy, by the report, by why, and by the snapshot that is stored.
#[tokio::test]
async fn people_who_differ_are_told_apart() {
    let bench = Bench::new().await;
    let campaign = divided(&bench).await;
    let published = campaign.snapshot().hierarchy.clone();
    let tomato = &published.entries()[2];
    assert_eq!(tomato.reasons, [Reason::Differ], "{tomato:?}");
    let places: Vec<_> = tomato.places.iter().map(|place| published.name(place.parent)).collect();
    assert_eq!(places, ["fruit", "vegetable"]);
    for (place, share) in tomato.places.iter().zip([0.6, 0.4]) {
        assert!((place.share - share).abs() < 0.15, "{place:?}");
        assert!(place.low <= place.share && place.share <= place.high, "{place:?}");
    }
    for (settled, name) in [(0, "fruit"), (3, "apple"), (4, "carrot")] {
        assert_eq!(published.entries()[settled].reasons, [Reason::Settled], "{name}");
    }
    let why = campaign.why(3, None).await.unwrap();
    assert_eq!(why.reasons, tomato.reasons);
    assert_eq!(why.places.iter().map(|place| place.parent).collect::<Vec<_>>(), [1, 2]);
    let report = campaign.follower().await.unwrap().report(&ReportOptions::default()).unwrap().unwrap();
    assert_eq!(report.hierarchy.entries()[2].reasons, [Reason::Differ]);

    let id = campaign.id();
    campaign.close().await.unwrap();
    let shown = open_at(&bench, id, ENGINE_REVISION + 1).await.snapshot();
    assert!(shown.earlier_version);
    assert_eq!(shown.hierarchy, published, "the stored snapshot keeps reasons and places");
}

/// Snapshots of before have neither reasons nor places, and are shown all the same.
#[tokio::test]
async fn a_snapshot_of_before_is_shown() {
    let bench = Bench::new().await;
    let campaign = divided(&bench).await;
    let (id, published) = (campaign.id(), campaign.snapshot().hierarchy.clone());
    campaign.close().await.unwrap();
    let mut kept = bench.store.newest_snapshot(id, "published", None).await.unwrap().unwrap();
    let mut stored: serde_json::Value = serde_json::from_slice(&kept.bytes).unwrap();
    for place in stored["places"].as_array_mut().unwrap() {
        let fields = place.as_object_mut().unwrap();
        assert!(fields.remove("reasons").is_some() && fields.remove("places").is_some());
    }
    kept.bytes = serde_json::to_vec(&stored).unwrap();
    bench.store.save_snapshot(id, "published", kept, 1).await.unwrap();
    let shown = open_at(&bench, id, ENGINE_REVISION + 1).await.snapshot();
    assert!(shown.rebuilding && shown.earlier_version);
    for (before, now) in shown.hierarchy.entries().iter().zip(published.entries()) {
        assert_eq!((before.parent, before.certainty), (now.parent, now.certainty));
        assert!(before.reasons.is_empty() && before.places.is_empty());
    }
}

/// The control: within one revision, a belief that does not fit its record is a fault, which an examination finds.
#[tokio::test]
async fn an_examination_finds_a_record_that_cannot_be_reproduced() {
    let bench = Bench::new().await;
    let campaign = eventful(&bench, &quick(), 4, 8).await;
    let workspace = Workspace::new(bench.store.clone(), bench.clock.clone());
    assert!(workspace.examine(&Caller::local()).await.unwrap().is_empty());
    let (id, now) = (campaign.id(), Moment(1));
    campaign.close().await.unwrap();
    let holder = HolderId(Uuid::now_v7());
    let claim = Claim { holder, name: "forger".to_owned(), term: std::time::Duration::from_secs(1) };
    let epoch = bench.store.hold_belief(id, claim, now).await.unwrap().epoch;
    let to = bench.store.campaign(id).await.unwrap().head;
    let work =
        serde_json::json!({ "way": "build", "digest": "0000000000000001", "revision": ENGINE_REVISION });
    let forged = bench.store.advance(id, now, (holder, epoch), to, work).await.unwrap().position;
    let findings = workspace.examine(&Caller::local()).await.unwrap();
    assert!(matches!(&findings[..], [one] if one.problem.contains(&forged.to_string())), "{findings:?}");
}

/// A rush of votes is taken in at once, and the belief is built anew when there is time: for a server when nobody votes, for a command right away.
#[tokio::test]
async fn a_belief_that_a_rush_overtook_is_built_anew_once() {
    let bench = Bench::new().await;
    let campaign = bench.campaign(&learning(), &FOOD).await;
    let rush = async |name: &str, people: usize| {
        for number in 0..people {
            let who = worker(&format!("{name} {number}"));
            vote(&campaign, &who, path(1, 3), Answer::Yes).await.unwrap();
            vote(&campaign, &who, path(3, 1), Answer::No).await.unwrap();
        }
    };
    let ways = async || -> Vec<Way> {
        records(&log_of(&campaign, &bench).await).iter().map(|work| work.way).collect()
    };
    let last_sweeps = async || records(&log_of(&campaign, &bench).await).last().unwrap().sweeps;
    campaign.step().await.unwrap();
    rush("first", 10).await;
    campaign.step().await.unwrap();
    assert_eq!(ways().await, [Way::Build, Way::Together]);
    assert_eq!(last_sweeps().await, 1, "it is built anew soon");
    assert!(campaign.check().await.unwrap());
    assert_eq!(ways().await[2], Way::Build, "before the sweeps of the check");
    while campaign.check().await.unwrap() {}
    let settled = ways().await;
    assert!(!settled[3..].contains(&Way::Build), "once is enough: {settled:?}");
    rush("few", 8).await;
    campaign.advance().await.unwrap();
    assert_eq!(ways().await.last(), Some(&Way::Together), "fewer than before");
    assert_eq!(last_sweeps().await, 4, "trees that are not built anew have to follow");
    rush("many", 14).await;
    campaign.advance().await.unwrap();
    assert_eq!(ways().await[settled.len()..], [Way::Together, Way::Together, Way::Build]);
    let digest = campaign.follower().await.unwrap().digest();
    let replayed = Follower::replay(&log_of(&campaign, &bench).await).unwrap();
    assert_eq!((replayed.digest(), replayed.astray()), (digest, None));
}
