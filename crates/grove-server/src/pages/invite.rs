use askama::Template;
use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{AppendHeaders, IntoResponse, IntoResponseParts, Response};
use grove_campaign::Error;
use grove_campaign::operations::{Access, LinkSummary, MemberName, NewLink as LinkToMake};
use grove_store::{CampaignId, Credential, CredentialId, LinkLimits, MemberRole, Moment, VoteSource};
use qrcode::{Color, EcLevel, QrCode};
use std::fmt::Write as _;
use uuid::Uuid;

use serde::Deserialize;

use super::account::Label;
use super::audit::audit;
use super::campaign::{CampaignHeader, observed, redirect, redirect_done};
use super::layout::{Layout, capitalised, render, with_error};
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
    typed: Typed,
    now: Moment,
}

/// What was typed into a form that was refused.
#[derive(Default)]
pub(super) struct Typed {
    member: Option<RefusedMember>,
    link: LinkForm,
    /// The field of the new link that was refused, and why.
    refused: Option<(&'static str, String)>,
}

/// An account with which the campaign could not be shared: the name as it was typed, and why.
struct RefusedMember {
    name: String,
    why: String,
}

impl Typed {
    /// The name of an account with which the campaign could not be shared.
    pub(super) fn member(name: String, why: String) -> Self {
        Self { member: Some(RefusedMember { name, why }), ..Self::default() }
    }
}

impl InvitePage {
    fn has_expired(&self, link: &Credential) -> bool {
        link.until.is_some_and(|until| until <= self.now)
    }

    /// Why a field of the new link was refused.
    fn refusal(&self, field: &str) -> Option<&str> {
        self.typed.refused.as_ref().filter(|refused| refused.0 == field).map(|refused| refused.1.as_str())
    }
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
    page(&app, &headers, &campaign, Typed::default()).await
}

pub(super) async fn page(
    app: &App,
    headers: &HeaderMap,
    campaign: &CampaignAccess,
    typed: Typed,
) -> Result<Response> {
    let secret = new_secret(app, headers, &purpose(campaign.id));
    let view = new_secret(app, headers, &view_purpose(campaign.id));
    let new_link = secret.map(|secret| NewLink::new(format!("{}/w/{secret}", app.public_address.url())));
    let invitations = campaign.links().await?;
    let reader = campaign.reader();
    let header = CampaignHeader::new(&reader, "Invite", None).await?;
    let page = render(&InvitePage {
        layout: header.layout(&reader),
        header,
        audit: audit(campaign)?,
        new_link: new_link.transpose()?,
        invitations,
        new_view: view.map(|secret| format!("{}/s/{secret}", app.public_address.url())),
        views: campaign.view_links().await?,
        members: campaign.members().await?,
        typed,
        now: app.now(),
    })?;
    Ok((Extension(ShowsSecret), page).into_response())
}

/// The form for a new link. Browsers send fields that are left empty.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct LinkForm {
    label: String,
    hours: String,
    most_workers: String,
    most_votes: String,
}

impl LinkForm {
    /// The link that the form asks for, or the field that is wrong and why.
    fn read(&self) -> std::result::Result<LinkToMake, (&'static str, String)> {
        let number = |field, text: &str| match text.trim() {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| {
                (field, format!("This must be a whole number, not “{text}”. Leave it empty for no limit."))
            }),
        };
        let limits = LinkLimits {
            most_workers: number("most_workers", &self.most_workers)?,
            most_votes: number("most_votes", &self.most_votes)?,
        };
        Ok(LinkToMake { label: self.label.trim().to_owned(), hours: number("hours", &self.hours)?, limits })
    }
}

/// Makes a link, or shows the page with what was typed and why it is refused.
pub(super) async fn create(
    State(app): State<App>,
    headers: HeaderMap,
    campaign: CampaignAccess,
    Form(link): Form<LinkForm>,
) -> Result<Response> {
    let secret = Secret::new()?;
    let made = match link.read() {
        Ok(wanted) => match campaign.invite_with(wanted, secret.hash()).await {
            Ok(_) => Ok(()),
            Err(Error::BadSetting { setting, problem }) => Err((setting, capitalised(&problem))),
            Err(error @ Error::Store(grove_store::Error::BadName)) => {
                Err(("label", capitalised(&error.to_string())))
            }
            Err(error) => return Err(error.into()),
        },
        Err(refused) => Err(refused),
    };
    match made {
        Ok(()) => {
            let cookie = new_secret_cookie(&app, &purpose(campaign.id), &secret);
            Ok((cookie, redirect(&campaign, "/invite")).into_response())
        }
        Err(refused) => {
            let error = HttpError::BadRequest(refused.1.clone());
            let typed = Typed { link, refused: Some(refused), ..Typed::default() };
            with_error(page(&app, &headers, &campaign, typed).await?, error)
        }
    }
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
