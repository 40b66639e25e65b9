//! Asking language models.

use axum::response::Response;
use grove_crowd::Cents;

use super::super::campaign::redirect;
use super::{ModelForm, Typed, refused};
use crate::auth::CampaignAccess;
use crate::extract::Form;
use crate::http_error::{HttpError, Result};

/// The most questions for one run.
const MOST_QUESTIONS: u64 = 100_000;

/// Begins to ask a model.
pub(crate) async fn ask(campaign: CampaignAccess, Form(form): Form<ModelForm>) -> Result<Response> {
    let outcome = begin(&campaign, &form).await;
    match outcome {
        Ok(()) => Ok(redirect(&campaign, "/recruit#models")),
        Err(error) => {
            let typed = Typed { model: Some(form), ..Typed::default() };
            refused(&campaign, error, typed).await
        }
    }
}

async fn begin(campaign: &CampaignAccess, form: &ModelForm) -> Result<()> {
    let questions = form.questions.trim().parse().ok();
    let questions = questions.filter(|questions| (1..=MOST_QUESTIONS).contains(questions));
    let questions = questions.ok_or_else(|| {
        HttpError::BadRequest(format!("the number of questions must be 1 to {MOST_QUESTIONS}"))
    })?;
    let budget = match form.budget.trim() {
        "" => None,
        text => Some(text.parse::<Cents>().map_err(HttpError::BadRequest)?),
    };
    if form.probe_again.is_some() {
        campaign.probe_model_again(&form.endpoint).await?;
    }
    Ok(campaign.start_asking_model(&form.endpoint, budget, questions).await?)
}

/// Stops asking it.
pub(crate) async fn stop(campaign: CampaignAccess) -> Result<Response> {
    campaign.stop_asking_model()?;
    Ok(redirect(&campaign, "/recruit#models"))
}
