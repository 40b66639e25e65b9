//! Who may do what.

use std::collections::BTreeMap;

use grove_campaign::operations::{Access, Caller, Operation, Role, Workspace, allowed};
use grove_campaign::{Budget, Edit, Error, NewConcept, Settings};
use grove_formats::Source;
use grove_store::{
    Actor, Answer, CampaignId, Correction, CorrectionId, CredentialId, OwnerId, Position, SubmittedVote,
    Vote, VoteId,
};
use uuid::Uuid;

use crate::bench::{Bench, FOOD, path, quick, worker};

/// The rules once more, written down independently: owner, editor, viewer, worker, administrator.
const RULES: &str = "
    NextQuestion      O E . W A
    CastVote          O E . W A
    WithdrawVote      O E . W A
    Read              O E V . A
    ReadVotes         O E V . A
    ReadWorkers       O E V . A
    ReadPayments      O . . . A
    EditConcepts      O E . . A
    Correct           O E . . A
    ImportVotes       O E . . A
    Pause             O E . . A
    ChangeSettings    O E . . A
    ChangeMoney       O . . . A
    EraseWorker       O . . . A
    Invite            O . . . A
    CreateCampaign    O E V . A
    DeleteCampaign    O . . . A
    ManageOwnAccount  O E V . .
    Administrate      . . . . A
";

#[test]
fn the_table_is_what_was_agreed() {
    let rules: BTreeMap<String, Vec<bool>> = RULES
        .lines()
        .filter_map(|line| line.trim().split_once(' '))
        .map(|(name, roles)| {
            (name.to_owned(), roles.split_whitespace().map(|letter| letter != ".").collect())
        })
        .collect();
    let table: BTreeMap<String, Vec<bool>> = Operation::all()
        .map(|one| (format!("{one:?}"), Role::ALL.map(|role| allowed(one, role)).to_vec()))
        .collect();
    assert_eq!(table, rules);
    assert_eq!(Operation::all().count(), rules.len(), "no operation is listed twice");
}

async fn workspace(bench: &Bench) -> (Workspace, OwnerId) {
    let workspace = Workspace::new(bench.store.clone(), bench.clock.clone());
    let owner = workspace.create_account(&Caller::local(), "ann", "hash".to_owned()).await.unwrap();
    (workspace, owner)
}

async fn campaign(workspace: &Workspace, owner: OwnerId) -> CampaignId {
    let concepts = FOOD.map(NewConcept::named);
    let name = format!("campaign {}", Uuid::now_v7());
    workspace.create_campaign(&Caller::account(owner), &name, quick(), &concepts).await.unwrap()
}

fn caller(role: Role, owner: OwnerId) -> Caller {
    let actor = match role {
        Role::Worker => Actor::Worker(worker("w")),
        Role::Administrator => Actor::Grove,
        _ => Actor::Owner(owner),
    };
    Caller { role, actor }
}

fn forbidden<T>(outcome: Result<T, Error>) -> bool {
    matches!(outcome, Err(Error::Forbidden { .. }))
}

async fn edit(access: &Access, edit: Edit) -> bool {
    forbidden(access.edit(edit).await)
}

/// Every function with every role: refused where the table says so, and only there.
#[tokio::test]
async fn operations_obey_the_table() {
    use Operation as O;
    let bench = Bench::new().await;
    let (workspace, owner) = workspace(&bench).await;
    for role in Role::ALL {
        let id = campaign(&workspace, owner).await;
        let (me, who) = (caller(role, owner), worker("w"));
        let access = workspace.campaign(me.clone(), id).await.unwrap();
        let question = path(1, 2);
        let vote = SubmittedVote {
            id: VoteId(Uuid::now_v7()),
            vote: Vote { worker: who.clone(), question, answer: Answer::Yes },
        };
        let correction = CorrectionId(Uuid::now_v7());
        let made =
            Edit::Correct { id: correction, correction: Correction::SomewhereUnder { lower: 2, upper: 1 } };
        let moved = Edit::Move { id: CorrectionId(Uuid::now_v7()), lower: 2, upper: 1 };
        let richer = Settings { budget: Budget { votes: Some(9), cents: None }, ..quick() };
        let named = Settings { title: "food".to_owned(), ..quick() };
        let file = Source::new("votes.csv", b"worker,upper,lower,answer\nbob,fruit,pear,yes\n").unwrap();
        let new = CredentialId(Uuid::now_v7());
        let refused = [
            (O::NextQuestion, forbidden(access.task_settings())),
            (O::NextQuestion, forbidden(access.next(&who).await)),
            (O::CastVote, forbidden(access.cast(vote.clone()).await)),
            (O::WithdrawVote, forbidden(access.withdraw(&who, vote.id).await)),
            (O::WithdrawVote, forbidden(access.undo(&who).await)),
            (O::Read, forbidden(access.state().map(drop))),
            (O::Read, forbidden(access.snapshot())),
            (O::Read, forbidden(access.watch())),
            (O::Read, forbidden(access.hierarchy(None).await)),
            (O::Read, forbidden(access.hierarchy(Some(Position(2))).await)),
            (O::Read, forbidden(access.report())),
            (O::Read, forbidden(access.why(2, None).await)),
            (O::Read, forbidden(access.curve().await)),
            (O::Read, forbidden(access.corrections().await)),
            (O::ReadVotes, forbidden(access.votes(Position::START, 10))),
            (O::ReadVotes, forbidden(access.history(Position::START, 10).await)),
            (O::ReadWorkers, forbidden(access.workers().await)),
            (O::ReadPayments, forbidden(access.payments().await)),
            (O::EditConcepts, edit(&access, Edit::Add(vec![NewConcept::named("quince")])).await),
            (O::EditConcepts, edit(&access, Edit::Rename { concept: 1, name: "fruits".to_owned() }).await),
            (O::Correct, edit(&access, made).await),
            (O::Correct, edit(&access, moved).await),
            (O::Correct, edit(&access, Edit::UndoCorrection { correction }).await),
            (O::Correct, edit(&access, Edit::Free { lower: 2, upper: None }).await),
            (O::Correct, forbidden(access.undo_last_correction().await)),
            (O::ImportVotes, forbidden(access.import(&file).await)),
            (O::Pause, edit(&access, Edit::Pause { reason: String::new() }).await),
            (O::Pause, edit(&access, Edit::Resume).await),
            (O::Pause, edit(&access, Edit::Stop { reason: String::new() }).await),
            (O::ChangeSettings, edit(&access, Edit::Set(Box::new(named))).await),
            (O::ChangeMoney, edit(&access, Edit::Set(Box::new(richer))).await),
            (O::EraseWorker, forbidden(access.erase_worker(&worker("nobody")).await)),
            (O::Invite, forbidden(access.invitations().await)),
            (O::Invite, forbidden(access.invite("list".to_owned(), [role as u8; 32]).await)),
            (O::Invite, forbidden(access.revoke_invitation(new).await)),
            (O::CreateCampaign, forbidden(workspace.campaigns(&me).await)),
            (
                O::CreateCampaign,
                forbidden(workspace.create_campaign(&me, &format!("{role:?}"), quick(), &[]).await),
            ),
            (O::ManageOwnAccount, forbidden(workspace.tokens(&me).await)),
            (
                O::ManageOwnAccount,
                forbidden(workspace.create_token(&me, "t".to_owned(), [9 + role as u8; 32]).await),
            ),
            (O::ManageOwnAccount, forbidden(workspace.revoke_token(&me, new).await)),
            (O::Administrate, forbidden(access.campaign())),
            (O::Administrate, forbidden(workspace.accounts(&me).await)),
            (O::Administrate, forbidden(workspace.set_password(&me, OwnerId(Uuid::now_v7()), "other").await)),
            (O::Administrate, forbidden(workspace.give_campaign(&me, id, owner).await)),
            (O::Administrate, forbidden(workspace.unlock_account(&me, OwnerId(Uuid::now_v7())).await)),
            (O::Administrate, forbidden(workspace.delete_account(&me, OwnerId(Uuid::now_v7())).await)),
            (
                O::Administrate,
                forbidden(workspace.create_account(&me, &format!("{role:?}"), "hash".to_owned()).await),
            ),
            (O::Administrate, forbidden(workspace.examine(&me).await)),
            (O::DeleteCampaign, forbidden(access.delete().await)),
        ];
        for (operation, refused) in refused {
            assert_eq!(refused, !allowed(operation, role), "{operation:?} by {role:?}");
        }
        for operation in Operation::all() {
            assert!(refused.iter().any(|(tried, _)| *tried == operation), "{operation:?} is not tried");
        }
    }
    workspace.stop_all().await;
}

/// A worker acts for nobody else, and an account sees no campaign of another.
#[tokio::test]
async fn nobody_acts_for_another() {
    let bench = Bench::new().await;
    let (workspace, owner) = workspace(&bench).await;
    let id = campaign(&workspace, owner).await;
    let ann = workspace.campaign(Caller::worker(worker("ann")), id).await.unwrap();
    let vote = |who| SubmittedVote {
        id: VoteId(Uuid::now_v7()),
        vote: Vote { worker: worker(who), question: path(1, 2), answer: Answer::Yes },
    };
    assert!(forbidden(ann.next(&worker("bob")).await));
    assert!(forbidden(ann.cast(vote("bob")).await));
    assert!(forbidden(ann.undo(&worker("bob")).await));
    ann.cast(vote("ann")).await.unwrap();

    let other = workspace.create_account(&Caller::local(), "bob", "hash".to_owned()).await.unwrap();
    let hidden = workspace.campaign(Caller::account(other), id).await;
    assert!(matches!(hidden.map(drop), Err(Error::Store(grove_store::Error::UnknownCampaign(_)))));
    assert!(workspace.campaigns(&Caller::account(other)).await.unwrap().is_empty());
    assert_eq!(workspace.campaigns(&Caller::account(owner)).await.unwrap().len(), 1);
    workspace.stop_all().await;
}

/// Nobody waits for a belief that is no longer needed.
#[tokio::test(flavor = "multi_thread")]
async fn a_campaign_is_deleted_while_its_belief_works() {
    let bench = Bench::new().await;
    let (workspace, owner) = workspace(&bench).await;
    let id = campaign(&workspace, owner).await;
    let access = workspace.campaign(Caller::account(owner), id).await.unwrap();
    let running = workspace.running().await.remove(0);
    let _busy = running.follower().await.unwrap();
    tokio::time::timeout(std::time::Duration::from_secs(20), access.delete()).await.unwrap().unwrap();
    let gone = workspace.campaign(Caller::local(), id).await;
    assert!(matches!(gone.map(drop), Err(Error::Store(grove_store::Error::UnknownCampaign(_)))));
    assert!(workspace.running().await.is_empty());
}

/// Votes are imported through the campaign that runs, which believes them.
#[tokio::test(flavor = "multi_thread")]
async fn a_running_campaign_imports() {
    let bench = Bench::new().await;
    let (workspace, owner) = workspace(&bench).await;
    let id = campaign(&workspace, owner).await;
    let access = workspace.campaign(Caller::account(owner), id).await.unwrap();
    let text = b"worker,upper,lower,answer\nbob,fruit,pear,yes\nbob,fruit,apple,yes\nbob,fruit,pear,no\n";
    let imported = access.import(&Source::new("votes.csv", text).unwrap()).await.unwrap();
    assert_eq!((imported.votes, imported.repeated), (2, 1));
    workspace.running().await[0].settle().await.unwrap();
    let (snapshot, lag) = access.snapshot().unwrap();
    assert_eq!((snapshot.votes_read, lag), (2, 0));
    assert!(workspace.examine(&Caller::local()).await.unwrap().is_empty());
    let at_start = access.hierarchy(Some(Position(2))).await.unwrap();
    assert_eq!((at_start.votes, at_start.hierarchy.len()), (0, 1));
    workspace.stop_all().await;
}
