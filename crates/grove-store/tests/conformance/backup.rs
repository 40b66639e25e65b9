use grove_store::{
    Actor, Answer, Correction, CorrectionId, Credential, CredentialId, Error, Event, Member, MemberRole,
    Position, Purpose, Response, Store, SubmittedVote, VoteId,
};
use uuid::Uuid;

use crate::campaigns::owner;
use crate::fixture::{Fixture, NOW, path, vote, worker};
use crate::log::every_form;
use crate::postgres;

/// Fills a store with some of everything that a backup must keep.
async fn fill(fixture: &Fixture) {
    let ann = owner(fixture, "ann").await;
    let campaign = fixture.campaign(5).await;
    let credential = Credential {
        id: CredentialId(Uuid::now_v7()),
        purpose: Purpose::Token(ann),
        label: "script".into(),
        created: NOW,
        until: None,
        revoked: None,
    };
    fixture.store.add_credential(credential, [7; 32]).await.unwrap();
    fixture.store.give_campaign(campaign, ann).await.unwrap();
    let bob = owner(fixture, "bob").await;
    let member = Member { campaign, owner: bob, role: MemberRole::Viewer, since: NOW };
    fixture.store.set_member(member).await.unwrap();
    let first = vote("w", path(1, 2), Answer::Yes);
    for vote in [first.clone(), vote("w", path(3, 4), Answer::No), vote("v", path(1, 2), Answer::CantSay)] {
        fixture.store.cast(campaign, NOW, vote).await.unwrap();
    }
    for (screen, reply) in every_form() {
        let response = Response::new(worker("forms"), screen, reply).unwrap();
        let vote = SubmittedVote { id: VoteId(Uuid::now_v7()), response, took_ms: Some(1_234), link: None };
        fixture.store.cast(campaign, NOW, vote).await.unwrap();
    }
    fixture.store.withdraw(campaign, NOW, Actor::Grove, first.id).await.unwrap();
    let correction = CorrectionId(Uuid::now_v7());
    let events = vec![
        Event::CorrectionMade { id: correction, correction: Correction::TopLevel { concept: 1 } },
        Event::CorrectionTakenBack { correction },
    ];
    fixture.store.append(campaign, NOW, Actor::Owner(ann), events).await.unwrap();
    fixture.campaign(1).await;
}

/// Everything that can be read, as text.
async fn digest(store: &Store) -> String {
    let mut text = format!("{:?}", store.owners().await.unwrap());
    text += &format!("{:?}", store.credential(&[7; 32], NOW).await.unwrap());
    for campaign in store.campaigns().await.unwrap() {
        let log = store.log(campaign.id, Position::START, 10_000).await.unwrap();
        let workers = store.workers(campaign.id).await.unwrap();
        let members = store.members(campaign.id).await.unwrap();
        text += &format!("{campaign:?}{log:?}{workers:?}{members:?}");
        for tally in workers {
            text += &format!("{:?}", store.votes_of(campaign.id, &tally.worker).await.unwrap());
        }
    }
    text
}

/// A new place for a database of the fixture's kind.
async fn new_place(fixture: &Fixture) -> String {
    if fixture.is_sqlite() {
        fixture.file("restored.db").display().to_string()
    } else {
        postgres::new_database().await
    }
}

/// They hold names, votes and hashes of secrets.
pub(crate) async fn files_are_for_their_owner_alone(fixture: &Fixture) {
    use std::os::unix::fs::PermissionsExt as _;
    let is_private = |path: &std::path::Path| {
        let mode = std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", path.display());
    };
    fixture.campaign(3).await;
    let [backup, dump, restored] = ["backup", "dump", "restored"].map(|name| fixture.file(name));
    fixture.store.backup(&backup).await.unwrap();
    fixture.store.dump(&dump).await.unwrap();
    Store::restore(&backup, restored.to_str().unwrap()).await.unwrap().close().await;
    [&backup, &dump, &restored].into_iter().for_each(|path| is_private(path));
    if fixture.is_sqlite() {
        for ending in ["", "-wal", "-shm"] {
            is_private(format!("{}{ending}", fixture.place).as_ref());
        }
    }
}

pub(crate) async fn a_backup_restores_to_the_same(fixture: &Fixture) {
    fill(fixture).await;
    let backup = fixture.file("backup");
    fixture.store.backup(&backup).await.unwrap();
    let expected = digest(&fixture.store).await;
    // Later changes are not in the backup.
    fixture.campaign(1).await;
    let restored = Store::restore(&backup, &new_place(fixture).await).await.unwrap();
    assert_eq!(digest(&restored).await, expected);
    assert_ne!(digest(&fixture.store).await, expected);
    assert_eq!(
        std::fs::read_dir(backup.parent().unwrap())
            .unwrap()
            .filter(|file| { file.as_ref().unwrap().file_name().to_string_lossy().contains("unfinished") })
            .count(),
        0
    );
}

pub(crate) async fn a_dump_moves_between_databases(fixture: &Fixture) {
    if postgres::is_missing() {
        return;
    }
    fill(fixture).await;
    let dump = fixture.file("dump.jsonl");
    fixture.store.dump(&dump).await.unwrap();
    let elsewhere = if fixture.is_sqlite() {
        postgres::new_database().await
    } else {
        fixture.file("moved.db").display().to_string()
    };
    let moved = Store::restore(&dump, &elsewhere).await.unwrap();
    assert_eq!(digest(&moved).await, digest(&fixture.store).await);
    // Dumping it again gives the same file.
    let again = fixture.file("again.jsonl");
    moved.dump(&again).await.unwrap();
    assert_eq!(std::fs::read(again).unwrap(), std::fs::read(dump).unwrap());
    // The campaign can continue in its new place.
    let campaign = moved.campaigns().await.unwrap()[0].id;
    moved.cast(campaign, NOW, vote("new", path(1, 2), Answer::Yes)).await.unwrap();
    assert_eq!(moved.doctor().await.unwrap(), []);
}

pub(crate) async fn an_incomplete_dump_is_refused(fixture: &Fixture) {
    fill(fixture).await;
    let dump = fixture.file("dump.jsonl");
    fixture.store.dump(&dump).await.unwrap();
    let text = std::fs::read_to_string(&dump).unwrap();
    let lines: Vec<_> = text.lines().collect();
    let without = |gone: usize| {
        let rest = lines.iter().enumerate().filter(|(at, _)| *at != gone).map(|(_, line)| *line);
        rest.collect::<Vec<_>>().join("\n")
    };
    let place = new_place(fixture).await;
    // The last line, one in the middle, half a line.
    for faulty in [without(lines.len() - 1), without(4), text[..text.len() / 2].to_owned()] {
        let cut = fixture.file("cut.jsonl");
        std::fs::write(&cut, faulty).unwrap();
        let refusal = Store::restore(&cut, &place).await;
        assert!(matches!(refusal, Err(Error::Damaged(_))), "{refusal:?}");
    }
    // A refused dump leaves nothing behind, so that the complete one finds an empty database.
    Store::restore(&dump, &place).await.unwrap();
}

pub(crate) async fn a_restore_overwrites_nothing(fixture: &Fixture) {
    fill(fixture).await;
    let (backup, dump) = (fixture.file("backup"), fixture.file("dump"));
    fixture.store.backup(&backup).await.unwrap();
    assert!(matches!(fixture.store.backup(&backup).await, Err(Error::File { .. })));
    fixture.store.dump(&dump).await.unwrap();
    let before = digest(&fixture.store).await;
    for from in [backup, dump] {
        let refusal = Store::restore(&from, &fixture.place).await;
        assert!(matches!(refusal, Err(Error::File { .. } | Error::StillNeeded(_))), "{refusal:?}");
    }
    assert_eq!(digest(&fixture.store).await, before);
}
