use askama::Template;
use axum::extract::State;
use axum::response::Response;
use grove_store::{Credential, CredentialId};
use qrcode::{Color, EcLevel, QrCode};
use std::fmt::Write as _;
use uuid::Uuid;

use super::account::Label;
use super::campaign::{CampaignHeader, redirect};
use super::layout::{Layout, render};
use crate::app::App;
use crate::auth::{CampaignAccess, Secret};
use crate::extract::{Form, LastParam};
use crate::http_error::{HttpError, Result};

/// A new link, and its QR code as an SVG path.
struct NewLink {
    url: String,
    qr_path: String,
    qr_size: usize,
}

#[derive(Template)]
#[template(path = "campaign/invite.html")]
struct InvitePage {
    layout: Layout,
    header: CampaignHeader,
    new_link: Option<NewLink>,
    invitations: Vec<Credential>,
}

/// The quiet zone around a QR code, in modules, as its standard demands.
const QUIET_ZONE: usize = 4;

impl NewLink {
    fn new(url: String) -> Result<Self> {
        let code = QrCode::with_error_correction_level(&url, EcLevel::M).map_err(|_| HttpError::Internal)?;
        let width = code.width();
        let mut qr_path = String::new();
        for (at, color) in code.to_colors().into_iter().enumerate() {
            if color == Color::Dark {
                let _ = write!(qr_path, "M{} {}h1v1h-1z", at % width + QUIET_ZONE, at / width + QUIET_ZONE);
            }
        }
        Ok(Self { url, qr_path, qr_size: width + 2 * QUIET_ZONE })
    }
}

async fn page(campaign: &CampaignAccess, new_link: Option<NewLink>) -> Result<Response> {
    let invitations = campaign.invitations().await?;
    let header = CampaignHeader::new(campaign, "Invite", None)?;
    render(&InvitePage { layout: header.layout(campaign), header, new_link, invitations })
}

pub(super) async fn show(campaign: CampaignAccess) -> Result<Response> {
    page(&campaign, None).await
}

/// Creates a link. Only its hash is stored, so this response alone shows it.
pub(super) async fn create(
    State(app): State<App>,
    campaign: CampaignAccess,
    Form(new): Form<Label>,
) -> Result<Response> {
    let secret = Secret::new()?;
    campaign.invite(new.label.trim().to_owned(), secret.hash()).await?;
    let link = NewLink::new(format!("{}/w/{}", app.public_address.url(), secret.as_str()))?;
    page(&campaign, Some(link)).await
}

pub(super) async fn revoke(
    State(app): State<App>,
    campaign: CampaignAccess,
    LastParam(id): LastParam<Uuid>,
) -> Result<Response> {
    campaign.revoke_invitation(CredentialId(id)).await?;
    app.invitations.clear();
    Ok(redirect(&campaign, "/invite"))
}
