use grove_store::{
    Actor, Answer, Correction, CorrectionId, Credential, CredentialId, Error, Event, Position, Purpose, Store,
};
use uuid::Uuid;

use crate::bench::{Bench, NOW, path, vote};
use crate::campaigns::owner;
use crate::postgres;

/// A store with something of everything that a backup must keep.
async fn fill(bench: &Bench) {
    let ann = owner(bench, "ann").await;
    let campaign = bench.campaign(5).await;
    let credential = Credential {
        id: CredentialId(Uuid::now_v7()),
        purpose: Purpose::Token(ann),
        label: "script".into(),
        created: NOW,
        until: None,
        revoked: None,
    };
    bench.store.add_credential(credential, [7; 32]).await.unwrap();
    bench.store.give_campaign(campaign, ann).await.unwrap();
    let first = vote("w", path(1, 2), Answer::Yes);
    for vote in [first.clone(), vote("w", path(3, 4), Answer::No), vote("v", path(1, 2), Answer::CantSay)] {
        bench.store.cast(campaign, NOW, vote).await.unwrap();
    }
    bench.store.withdraw(campaign, NOW, Actor::Grove, first.id).await.unwrap();
    let correction = CorrectionId(Uuid::now_v7());
    let events = vec![
        Event::CorrectionMade { id: correction, correction: Correction::TopLevel { concept: 1 } },
        Event::CorrectionTakenBack { correction },
    ];
    bench.store.append(campaign, NOW, Actor::Owner(ann), events).await.unwrap();
    bench.campaign(1).await;
}

/// Everything that can be read, as text.
async fn digest(store: &Store) -> String {
    let mut text = format!("{:?}", store.owners().await.unwrap());
    text += &format!("{:?}", store.credential(&[7; 32], NOW).await.unwrap());
    for campaign in store.campaigns().await.unwrap() {
        let log = store.log(campaign.id, Position::START, 10_000).await.unwrap();
        let workers = store.workers(campaign.id).await.unwrap();
        let votes = store.votes_on(campaign.id, path(1, 2)).await.unwrap();
        text += &format!("{campaign:?}{log:?}{workers:?}{votes:?}");
    }
    text
}

/// A place like the bench's where nothing is.
async fn new_place(bench: &Bench) -> String {
    if bench.is_sqlite() {
        bench.file("restored.db").display().to_string()
    } else {
        postgres::new_database().await
    }
}

pub(crate) async fn a_backup_restores_to_the_same(bench: &Bench) {
    fill(bench).await;
    let backup = bench.file("backup");
    bench.store.backup(&backup).await.unwrap();
    let expected = digest(&bench.store).await;
    // What comes after the backup is not in it.
    bench.campaign(1).await;
    let restored = Store::restore(&backup, &new_place(bench).await).await.unwrap();
    assert_eq!(digest(&restored).await, expected);
    assert_ne!(digest(&bench.store).await, expected);
    assert_eq!(
        std::fs::read_dir(backup.parent().unwrap())
            .unwrap()
            .filter(|file| { file.as_ref().unwrap().file_name().to_string_lossy().contains("unfinished") })
            .count(),
        0
    );
}

pub(crate) async fn a_dump_moves_between_databases(bench: &Bench) {
    fill(bench).await;
    let dump = bench.file("dump.jsonl");
    bench.store.dump(&dump).await.unwrap();
    let elsewhere = if bench.is_sqlite() {
        postgres::new_database().await
    } else {
        bench.file("moved.db").display().to_string()
    };
    let moved = Store::restore(&dump, &elsewhere).await.unwrap();
    assert_eq!(digest(&moved).await, digest(&bench.store).await);
    // And back: the same file.
    let again = bench.file("again.jsonl");
    moved.dump(&again).await.unwrap();
    assert_eq!(std::fs::read(again).unwrap(), std::fs::read(dump).unwrap());
    // Life goes on where it has moved to.
    let campaign = moved.campaigns().await.unwrap()[0].id;
    moved.cast(campaign, NOW, vote("new", path(1, 2), Answer::Yes)).await.unwrap();
    assert_eq!(moved.doctor().await.unwrap(), []);
}

pub(crate) async fn a_cut_dump_is_refused(bench: &Bench) {
    fill(bench).await;
    let dump = bench.file("dump.jsonl");
    bench.store.dump(&dump).await.unwrap();
    let text = std::fs::read_to_string(&dump).unwrap();
    let lines: Vec<_> = text.lines().collect();
    let without = |gone: usize| {
        let rest = lines.iter().enumerate().filter(|(at, _)| *at != gone).map(|(_, line)| *line);
        rest.collect::<Vec<_>>().join("\n")
    };
    let place = new_place(bench).await;
    // The last line, one in the middle, half a line.
    for faulty in [without(lines.len() - 1), without(4), text[..text.len() / 2].to_owned()] {
        let cut = bench.file("cut.jsonl");
        std::fs::write(&cut, faulty).unwrap();
        let refusal = Store::restore(&cut, &place).await;
        assert!(matches!(refusal, Err(Error::Damaged(_))), "{refusal:?}");
    }
    // A refused dump leaves nothing, so that the whole one finds an empty database.
    Store::restore(&dump, &place).await.unwrap();
}

pub(crate) async fn a_restore_overwrites_nothing(bench: &Bench) {
    fill(bench).await;
    let (backup, dump) = (bench.file("backup"), bench.file("dump"));
    bench.store.backup(&backup).await.unwrap();
    assert!(matches!(bench.store.backup(&backup).await, Err(Error::File { .. })));
    bench.store.dump(&dump).await.unwrap();
    let before = digest(&bench.store).await;
    for from in [backup, dump] {
        let refusal = Store::restore(&from, &bench.place).await;
        assert!(matches!(refusal, Err(Error::File { .. } | Error::StillNeeded(_))), "{refusal:?}");
    }
    assert_eq!(digest(&bench.store).await, before);
}
