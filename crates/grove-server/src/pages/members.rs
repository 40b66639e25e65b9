//! Sharing a campaign with other accounts, and handing it over.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use grove_store::{MemberRole, OwnerId};
use serde::Deserialize;
use uuid::Uuid;

use super::campaign::redirect;
use super::invite::{Typed, page};
use super::layout::{sentence, with_error};
use super::settings;
use crate::app::App;
use crate::auth::CampaignAccess;
use crate::extract::{Form, LastParam};
use crate::http_error::{HttpError, Result};

#[derive(Deserialize)]
pub(super) struct MemberForm {
    name: String,
    role: MemberRole,
}

#[derive(Deserialize)]
pub(super) struct OwnerForm {
    name: String,
}

pub(super) async fn set(
    State(app): State<App>,
    headers: HeaderMap,
    campaign: CampaignAccess,
    Form(form): Form<MemberForm>,
) -> Result<Response> {
    match campaign.set_member(&form.name, form.role).await.map_err(HttpError::from) {
        Ok(()) => {
            app.credentials_changed();
            Ok(redirect(&campaign, "/invite#members"))
        }
        Err(error) => {
            let typed = Typed::member(form.name, sentence(&error));
            with_error(page(&app, &headers, &campaign, typed).await?, error)
        }
    }
}

pub(super) async fn remove(
    State(app): State<App>,
    campaign: CampaignAccess,
    LastParam(account): LastParam<Uuid>,
) -> Result<Response> {
    campaign.remove_member(OwnerId(account)).await?;
    app.credentials_changed();
    Ok(redirect(&campaign, "/invite#members"))
}

/// Hands the campaign over to another account. The former owner stays as an editor.
pub(super) async fn hand_over(campaign: CampaignAccess, Form(form): Form<OwnerForm>) -> Result<Response> {
    match campaign.hand_over(&form.name).await.map_err(HttpError::from) {
        Ok(()) => Ok(redirect(&campaign, "")),
        Err(error) => with_error(settings::refuse(&campaign, &error).await?, error),
    }
}
