use askama::Template;
use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{AppendHeaders, IntoResponse, IntoResponseParts, Response};
use grove_campaign::operations::{Access, LinkSummary, MemberName, NewLink as LinkToMake};
use grove_store::{CampaignId, Credential, CredentialId, LinkLimits, MemberRole, VoteSource};
use qrcode::{Color, EcLevel, QrCode};
use std::fmt::Write as _;
use uuid::Uuid;

use serde::Deserialize;

use super::account::Label;
use super::audit::audit;
use super::campaign::{CampaignHeader, observed, redirect, redirect_done};
use super::layout::{Layout, render};
use crate::app::App;
use crate::auth::{CampaignAccess, Secret, new_secret, new_secret_cookie};
use crate::extract::{Form, LastParam};
use crate::http_error::{HttpError, Result};
use crate::middleware::ShowsSecret;

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
    /// How doubtful the hierarchy is that the campaign starts from.
    audit: Option<String>,
    new_link: Option<NewLink>,
    invitations: Vec<LinkSummary>,
    /// A new read-only link.
    new_view: Option<String>,
    views: Vec<Credential>,
    members: Vec<MemberName>,
    refused: Option<Refused>,
}

/// An account with which the campaign could not be shared: the name as it was typed, and why.
pub(super) struct Refused {
    pub(super) name: String,
    pub(super) why: String,
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

/// What the cookie of a new link says that it is for.
fn purpose(id: CampaignId) -> String {
    format!("link-{id}")
}

/// The same for a read-only link.
fn view_purpose(id: CampaignId) -> String {
    format!("view-{id}")
}

/// Makes the first link of a new campaign, and returns the cookie that lets the invite page show it.
pub(super) async fn first_link(
    app: &App,
    campaign: &Access,
    id: CampaignId,
) -> Result<impl IntoResponseParts> {
    let secret = Secret::new()?;
    campaign.invite("First link".to_owned(), secret.hash()).await?;
    Ok(AppendHeaders(new_secret_cookie(app, &purpose(id), &secret)))
}

/// The links, and the one that was just made: only its hash is stored, so that it can be shown only to the browser that asked for it.
pub(super) async fn show(
    State(app): State<App>,
    headers: HeaderMap,
    campaign: CampaignAccess,
) -> Result<Response> {
    page(&app, &headers, &campaign, None).await
}

pub(super) async fn page(
    app: &App,
    headers: &HeaderMap,
    campaign: &CampaignAccess,
    refused: Option<Refused>,
) -> Result<Response> {
    let secret = new_secret(app, headers, &purpose(campaign.id));
    let view = new_secret(app, headers, &view_purpose(campaign.id));
    let new_link = secret.map(|secret| NewLink::new(format!("{}/w/{secret}", app.public_address.url())));
    let invitations = campaign.links().await?;
    let reader = campaign.reader();
    let header = CampaignHeader::new(&reader, "Invite", None)?;
    let page = render(&InvitePage {
        layout: header.layout(&reader),
        header,
        audit: audit(campaign)?,
        new_link: new_link.transpose()?,
        invitations,
        new_view: view.map(|secret| format!("{}/s/{secret}", app.public_address.url())),
        views: campaign.view_links().await?,
        members: campaign.members().await?,
        refused,
    })?;
    Ok((Extension(ShowsSecret), page).into_response())
}

/// The form for a new link. Browsers send fields that are left empty.
#[derive(Deserialize)]
pub(super) struct LinkForm {
    #[serde(default)]
    label: String,
    #[serde(default)]
    hours: String,
    #[serde(default)]
    most_workers: String,
    #[serde(default)]
    most_votes: String,
}

impl LinkForm {
    fn read(&self) -> Result<LinkToMake> {
        let number = |text: &str, what: &str| match text.trim() {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| {
                HttpError::BadRequest(format!(
                    "{what}: {text:?} is not a whole number; leave it empty for no limit"
                ))
            }),
        };
        let limits = LinkLimits {
            most_workers: number(&self.most_workers, "People")?,
            most_votes: number(&self.most_votes, "Answers")?,
        };
        Ok(LinkToMake { label: self.label.trim().to_owned(), hours: number(&self.hours, "Hours")?, limits })
    }
}

/// Makes a link.
pub(super) async fn create(
    State(app): State<App>,
    campaign: CampaignAccess,
    Form(new): Form<LinkForm>,
) -> Result<Response> {
    let secret = Secret::new()?;
    campaign.invite_with(new.read()?, secret.hash()).await?;
    let cookie = new_secret_cookie(&app, &purpose(campaign.id), &secret);
    Ok((cookie, redirect(&campaign, "/invite")).into_response())
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

/// Takes the votes that came through a link out of the evidence.
pub(super) async fn exclude(campaign: CampaignAccess, LastParam(id): LastParam<Uuid>) -> Result<Response> {
    let done = observed(&campaign, campaign.exclude(VoteSource::Link(CredentialId(id)))).await?;
    Ok(redirect_done(&campaign, "/invite", done))
}

/// Brings them back.
pub(super) async fn include(campaign: CampaignAccess, LastParam(id): LastParam<Uuid>) -> Result<Response> {
    let done = observed(&campaign, campaign.include(VoteSource::Link(CredentialId(id)))).await?;
    Ok(redirect_done(&campaign, "/invite", done))
}

/// Makes a read-only link.
pub(super) async fn share(
    State(app): State<App>,
    campaign: CampaignAccess,
    Form(new): Form<Label>,
) -> Result<Response> {
    let secret = Secret::new()?;
    campaign.share(new.label.trim().to_owned(), secret.hash()).await?;
    let cookie = new_secret_cookie(&app, &view_purpose(campaign.id), &secret);
    Ok((cookie, redirect(&campaign, "/invite#sharing")).into_response())
}

pub(super) async fn stop_sharing(
    State(app): State<App>,
    campaign: CampaignAccess,
    LastParam(id): LastParam<Uuid>,
) -> Result<Response> {
    campaign.revoke_view_link(CredentialId(id)).await?;
    app.credentials_changed();
    Ok(redirect(&campaign, "/invite#sharing"))
}
