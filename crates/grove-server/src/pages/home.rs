use askama::Template;
use axum::extract::State;
use axum::response::Response;
use grove_campaign::Campaign;
use uuid::Uuid;

use super::campaign::{role_name, status};
use super::hierarchy::TreePreview;
use super::layout::{Layout, render};
use crate::app::App;
use crate::auth::Account;
use crate::http_error::Result;

struct CampaignCard {
    id: Uuid,
    title: String,
    status: &'static str,
    concepts: usize,
    votes: u64,
    /// What the account may do, if the campaign is shared with it.
    role: Option<&'static str>,
    /// The expected number of concepts with the correct parent, and their share in per cent.
    correct: Option<(u64, u64)>,
    preview: Option<TreePreview>,
}

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage {
    layout: Layout,
    campaigns: Vec<CampaignCard>,
}

/// Lists the owner's campaigns, the newest first. Those that do not run yet are shown as the store knows them, since starting them all
/// would take too long.
pub(super) async fn show(State(app): State<App>, account: Account) -> Result<Response> {
    let mut campaigns = Vec::new();
    let running = app.workspace.running().await;
    for (stored, role) in app.workspace.campaigns(&account.caller()).await?.into_iter().rev() {
        let role = role_name(role);
        campaigns.push(match running.iter().find(|campaign| campaign.id() == stored.id) {
            Some(campaign) => CampaignCard::new(campaign, role),
            None => CampaignCard {
                id: stored.id.0,
                title: stored.name,
                status: "Starting",
                concepts: stored.concepts as usize,
                votes: app.store().workers(stored.id).await?.iter().map(|worker| worker.votes).sum(),
                role,
                correct: None,
                preview: None,
            },
        });
    }
    render(&HomePage { layout: Layout::new("Campaigns", Some(&account)), campaigns })
}

impl CampaignCard {
    fn new(campaign: &Campaign, role: Option<&'static str>) -> Self {
        let snapshot = campaign.snapshot();
        let measures =
            snapshot.measures.filter(|measures| measures.concepts > 0 && snapshot.spent.questions > 0);
        let preview = TreePreview::new(&snapshot.hierarchy);
        let title = campaign.title();
        let state = campaign.state();
        Self {
            id: campaign.id().0,
            title,
            status: status(state.status()),
            concepts: state.concepts().count(),
            votes: snapshot.spent.questions,
            role,
            correct: measures.map(|measures| {
                let share = 100.0 * measures.expected_right / f64::from(measures.concepts);
                (measures.expected_right.round() as u64, share.round() as u64)
            }),
            preview,
        }
    }
}
