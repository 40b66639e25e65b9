//! Who may do what.

use std::collections::BTreeMap;

use grove_campaign::operations::recruit::PanelSettings;
use grove_campaign::operations::{Access, Caller, Operation, Role, Workspace, allowed};
use grove_campaign::{Budget, Edit, Error, NewConcept, Next, Settings, TicketProblem};
use grove_crowd::{Cents, GenericPanel};
use grove_formats::Source;
use grove_store::{
    Actor, Answer, CampaignId, Correction, CorrectionId, CredentialId, MemberRole, OwnerId, PanelId,
    Position, Reply, Response, SubmittedVote, Vote, VoteId, VoteSource,
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
    Exclude           O E . . A
    EraseWorker       O . . . A
    ReadPersonalData  O . . W A
    Invite            O . . . A
    Share             O . . . A
    Recruit           O . . . A
    AskModels         O . . . A
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
    Caller { role, actor, link: None }
}

fn forbidden<T>(outcome: Result<T, Error>) -> bool {
    matches!(outcome, Err(Error::Forbidden { .. }))
}

async fn edit(access: &Access, edit: Edit) -> bool {
    forbidden(access.edit(edit).await)
}

fn people() -> PanelSettings {
    let entry = GenericPanel::prolific(5, "DONE".to_owned(), "AWAY".to_owned());
    PanelSettings { entry, study: None }
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
        let vote = Vote { worker: who.clone(), question, answer: Answer::Yes };
        let vote = SubmittedVote::new(VoteId(Uuid::now_v7()), vote);
        let correction = CorrectionId(Uuid::now_v7());
        let made =
            Edit::Correct { id: correction, correction: Correction::SomewhereUnder { lower: 2, upper: 1 } };
        let moved = Edit::Move { id: CorrectionId(Uuid::now_v7()), lower: 2, upper: 1 };
        let richer = Settings { budget: Budget { votes: Some(9), cents: None }, ..quick() };
        let named = Settings { title: "food".to_owned(), ..quick() };
        let file = Source::new("votes.csv", b"worker,upper,lower,answer\nbob,fruit,pear,yes\n").unwrap();
        let (new, nobody) = (CredentialId(Uuid::now_v7()), PanelId(Uuid::now_v7()));
        let refused = [
            (O::NextQuestion, forbidden(access.task_settings())),
            (O::NextQuestion, forbidden(access.next(&who).await)),
            (O::CastVote, forbidden(access.cast(vote.clone(), "").await)),
            (O::WithdrawVote, forbidden(access.withdraw(&who, vote.id).await)),
            (O::WithdrawVote, forbidden(access.undo(&who).await)),
            (O::Read, forbidden(access.state().map(drop))),
            (O::Read, forbidden(access.snapshot())),
            (O::Read, forbidden(access.watch())),
            (O::Read, forbidden(access.hierarchy(None).await)),
            (O::Read, forbidden(access.hierarchy(Some(Position(2))).await)),
            (O::Read, forbidden(access.report())),
            (O::Read, forbidden(access.why(2, None).await)),
            (O::Read, forbidden(access.curve())),
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
            (O::Exclude, forbidden(access.exclude(VoteSource::Worker(worker("nobody"))).await)),
            (O::Exclude, forbidden(access.include(VoteSource::Link(new)).await)),
            (O::EraseWorker, forbidden(access.erase_worker(&worker("nobody")).await)),
            (O::ReadPersonalData, forbidden(access.personal_data(&who).await)),
            (O::Invite, forbidden(access.invitations().await)),
            (O::Invite, forbidden(access.invite("list".to_owned(), [role as u8; 32]).await)),
            (O::Invite, forbidden(access.revoke_invitation(new).await)),
            (O::Share, forbidden(access.members().await)),
            (O::Share, forbidden(access.set_member("nobody", MemberRole::Viewer).await)),
            (O::Share, forbidden(access.remove_member(OwnerId(Uuid::now_v7())).await)),
            (O::Share, forbidden(access.hand_over("nobody").await)),
            (O::Recruit, forbidden(access.panels().await)),
            (O::Recruit, forbidden(access.connections().await)),
            (O::Recruit, forbidden(access.add_panel("class", None, people()).await)),
            (O::Recruit, forbidden(access.panel(nobody).await)),
            (O::Recruit, forbidden(access.quote(nobody).await)),
            (O::Recruit, forbidden(access.draft_study(nobody, "http://127.0.0.1:9").await)),
            (O::Recruit, forbidden(access.publish_study(nobody, None).await)),
            (O::Recruit, forbidden(access.recent_quote(nobody).await)),
            (O::Recruit, forbidden(access.grow_study(nobody, 5).await)),
            (O::Recruit, forbidden(access.pause_study(nobody).await)),
            (O::Recruit, forbidden(access.resume_study(nobody).await)),
            (O::Recruit, forbidden(access.stop_study(nobody).await)),
            (O::Recruit, forbidden(access.sync_study(nobody).await)),
            (O::Recruit, forbidden(access.approve(nobody, Vec::new()).await)),
            (O::Recruit, forbidden(access.approve_all(nobody).await)),
            (O::Recruit, forbidden(access.ask_to_return(nobody, vec!["s".to_owned()]).await)),
            (O::Recruit, forbidden(access.give_bonuses(nobody, &[]).await)),
            (O::Recruit, forbidden(access.set_study_limits(nobody, 1, Cents(1), true).await)),
            (O::AskModels, forbidden(access.models().await)),
            (O::AskModels, forbidden(access.model_client("none", None).await.map(drop))),
            (O::ReadPayments, forbidden(access.model_reports().await)),
            (O::AskModels, forbidden(access.start_asking_model("none", None, 1).await)),
            (O::AskModels, forbidden(access.model_run())),
            (O::AskModels, forbidden(access.stop_asking_model())),
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
    let vote = |who| {
        let vote = Vote { worker: worker(who), question: path(1, 2), answer: Answer::Yes };
        SubmittedVote::new(VoteId(Uuid::now_v7()), vote)
    };
    assert!(forbidden(ann.next(&worker("bob")).await));
    assert!(forbidden(ann.cast(vote("bob"), "").await));
    assert!(forbidden(ann.undo(&worker("bob")).await));
    assert!(forbidden(ann.personal_data(&worker("bob")).await));
    // A worker votes on what they were asked, with the ticket that came with it.
    let unasked = ann.cast(vote("ann"), "").await;
    assert!(matches!(unasked, Err(Error::BadTicket(TicketProblem::Missing))), "{unasked:?}");
    let Next::Ask { screens } = ann.next(&worker("ann")).await.unwrap() else { panic!("no question") };
    let response = Response { worker: worker("ann"), screen: screens[0].screen.clone(), reply: Reply::Yes };
    let asked = SubmittedVote::new(VoteId(Uuid::now_v7()), response);
    let wrong = ann.cast(asked.clone(), "0-0").await;
    assert!(matches!(wrong, Err(Error::BadTicket(TicketProblem::Wrong))), "{wrong:?}");
    ann.cast(asked, &screens[0].ticket).await.unwrap();

    let other = workspace.create_account(&Caller::local(), "bob", "hash".to_owned()).await.unwrap();
    let hidden = workspace.campaign(Caller::account(other), id).await;
    assert!(matches!(hidden.map(drop), Err(Error::Store(grove_store::Error::UnknownCampaign(_)))));
    assert!(workspace.campaigns(&Caller::account(other)).await.unwrap().is_empty());
    assert_eq!(workspace.campaigns(&Caller::account(owner)).await.unwrap().len(), 1);
    workspace.stop_all().await;
}

/// Whom a campaign is shared with gets the role given, sees it among their campaigns, and loses it again; and a campaign that is handed over keeps its
/// former owner as an editor.
#[tokio::test]
async fn a_campaign_is_shared_by_role_and_handed_over() {
    let bench = Bench::new().await;
    let (workspace, ann) = workspace(&bench).await;
    let bob = workspace.create_account(&Caller::local(), "bob", "hash".to_owned()).await.unwrap();
    let id = campaign(&workspace, ann).await;
    let owned = workspace.campaign(Caller::account(ann), id).await.unwrap();
    assert!(matches!(owned.set_member("carl", MemberRole::Editor).await, Err(Error::NoSuchAccount(_))));
    for (role, expected) in [(MemberRole::Viewer, Role::Viewer), (MemberRole::Editor, Role::Editor)] {
        owned.set_member(" bob ", role).await.unwrap();
        let shared = workspace.campaign(Caller::account(bob), id).await.unwrap();
        assert_eq!(shared.caller().role, expected);
        let listed = workspace.campaigns(&Caller::account(bob)).await.unwrap();
        assert_eq!(listed.iter().map(|(one, role)| (one.id, *role)).collect::<Vec<_>>(), [(id, expected)]);
        let renamed = Edit::Rename { concept: 1, name: format!("fruit of {role:?}") };
        assert_eq!(edit(&shared, renamed).await, expected == Role::Viewer);
        assert!(forbidden(shared.members().await));
    }
    let names: Vec<_> = owned.members().await.unwrap().into_iter().map(|one| (one.name, one.role)).collect();
    assert_eq!(names, [("bob".to_owned(), MemberRole::Editor)]);
    owned.hand_over("bob").await.unwrap();
    let former = workspace.campaign(Caller::account(ann), id).await.unwrap();
    let new = workspace.campaign(Caller::account(bob), id).await.unwrap();
    assert_eq!((former.caller().role, new.caller().role), (Role::Editor, Role::Owner));
    new.remove_member(ann).await.unwrap();
    let gone = workspace.campaign(Caller::account(ann), id).await;
    assert!(matches!(gone.map(drop), Err(Error::Store(grove_store::Error::UnknownCampaign(_)))));
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
