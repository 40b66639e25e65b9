use askama::Template;
use axum::extract::State;
use axum::response::Response;
use uuid::Uuid;

use super::campaign::status;
use super::shell::{Shell, page};
use super::tree::Sketch;
use crate::app::App;
use crate::auth::Caller;
use crate::campaigns::view;
use crate::fault::Fault;

struct Card {
    id: Uuid,
    title: String,
    status: &'static str,
    concepts: usize,
    votes: u64,
    /// Expected concepts in their place, in whole ones and in hundredths of all.
    right: Option<u64>,
    share: Option<u64>,
    sketch: Option<Sketch>,
}

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage {
    shell: Shell,
    campaigns: Vec<Card>,
}

/// The owner's campaigns, the newest first.
pub(super) async fn show(State(app): State<App>, caller: Caller) -> Result<Response, Fault> {
    let mut campaigns = Vec::new();
    for stored in app.store().campaigns_of(caller.owner.id).await?.into_iter().rev() {
        let live = app.campaigns().get(stored.id).await?;
        let snapshot = live.snapshot();
        let measures = snapshot.measures.filter(|measures| measures.concepts > 0);
        let (title, status, concepts) = live.look(|state| {
            (state.settings().heading().title, status(state.status()).0, state.concepts().count())
        });
        campaigns.push(Card {
            id: stored.id.0,
            title,
            status,
            sketch: Sketch::new(&view(&live))?,
            concepts,
            votes: snapshot.spent.questions,
            right: measures.map(|measures| measures.expected_right.round() as u64),
            share: measures.map(|measures| {
                (100.0 * measures.expected_right / f64::from(measures.concepts)).round() as u64
            }),
        });
    }
    page(&HomePage { shell: Shell::new("Campaigns", Some(&caller)), campaigns })
}
