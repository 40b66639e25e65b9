use askama::Template;
use axum::extract::{RawPathParams, State};
use axum::response::Response;
use grove_store::CredentialId;
use qrcode::{Color, EcLevel, QrCode};
use serde::Deserialize;
use std::fmt::Write as _;
use uuid::Uuid;

use super::campaign::{Bar, back};
use super::shell::{Shell, page};
use crate::api::{invite, revoke_invitation};
use crate::app::App;
use crate::auth::Owned;
use crate::fault::Fault;
use crate::read::Form;
use crate::time::spoken;

struct Row {
    id: Uuid,
    label: String,
    created: String,
    revoked: bool,
}

/// A link that was made just now, and its QR code as one path.
struct Made {
    link: String,
    qr: String,
    qr_size: usize,
}

#[derive(Template)]
#[template(path = "campaign/invite.html")]
struct InvitePage {
    shell: Shell,
    bar: Bar,
    made: Option<Made>,
    invitations: Vec<Row>,
}

#[derive(Deserialize)]
pub(super) struct Label {
    #[serde(default)]
    label: String,
}

/// The white edge around a QR code, in cells; scanners want four.
const EDGE: usize = 4;

impl Made {
    fn new(link: String) -> Result<Self, Fault> {
        let code = QrCode::with_error_correction_level(&link, EcLevel::M).map_err(|_| Fault::Internal)?;
        let width = code.width();
        let mut qr = String::new();
        for (at, color) in code.to_colors().into_iter().enumerate() {
            if color == Color::Dark {
                let _ = write!(qr, "M{} {}h1v1h-1z", at % width + EDGE, at / width + EDGE);
            }
        }
        Ok(Self { link, qr, qr_size: width + 2 * EDGE })
    }
}

async fn render(app: &App, owned: &Owned, made: Option<Made>) -> Result<Response, Fault> {
    let all = app.store().invitations(owned.id).await?.into_iter();
    let invitations = all.map(|one| Row {
        id: one.id.0,
        label: one.label,
        created: spoken(one.created),
        revoked: one.revoked.is_some(),
    });
    let bar = Bar::new(owned, "Invite", None);
    page(&InvitePage { shell: bar.shell(owned), bar, made, invitations: invitations.collect() })
}

pub(super) async fn show(State(app): State<App>, owned: Owned) -> Result<Response, Fault> {
    render(&app, &owned, None).await
}

/// Makes a link. It is shown in the answer alone, since only its hash is kept.
pub(super) async fn make(
    State(app): State<App>,
    owned: Owned,
    Form(new): Form<Label>,
) -> Result<Response, Fault> {
    let (_, secret) = invite(&app, owned.id, new.label.trim().to_owned()).await?;
    let made = Made::new(format!("{}/w/{}", app.public().url(), secret.as_str()))?;
    render(&app, &owned, Some(made)).await
}

pub(super) async fn revoke(
    State(app): State<App>,
    owned: Owned,
    params: RawPathParams,
) -> Result<Response, Fault> {
    let id = params.iter().find(|(name, _)| *name == "invitation");
    let id = id.and_then(|(_, id)| id.parse().ok()).ok_or(Fault::NotFound)?;
    revoke_invitation(&app, owned.id, CredentialId(id)).await?;
    Ok(back(&owned, "/invite"))
}
