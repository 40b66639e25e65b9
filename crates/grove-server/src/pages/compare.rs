use askama::Template;
use axum::extract::Multipart;
use axum::response::Response;

use super::campaign::CampaignHeader;
use super::layout::{Layout, Notice, render, with_error};
use super::upload::Upload;
use crate::auth::CampaignAccess;
use crate::comparison::{self, Comparison};
use crate::http_error::{HttpError, Result};

#[derive(Template)]
#[template(path = "campaign/compare.html")]
struct ComparePage {
    layout: Layout,
    header: CampaignHeader,
    comparison: Option<Comparison>,
}

async fn page(
    campaign: &CampaignAccess,
    notice: Option<Notice>,
    comparison: Option<Comparison>,
) -> Result<Response> {
    let header = CampaignHeader::new(&campaign.reader(), "Compare", notice).await?;
    render(&ComparePage { layout: header.layout(&campaign.reader()), header, comparison })
}

pub(super) async fn show(campaign: CampaignAccess) -> Result<Response> {
    page(&campaign, None, None).await
}

/// Compares the hierarchy with an uploaded file, which is not stored.
pub(super) async fn compare(campaign: CampaignAccess, upload: Multipart) -> Result<Response> {
    let file = Upload::read(upload).await?.file;
    let file = file.ok_or_else(|| HttpError::BadRequest("choose a file".to_owned()));
    let (snapshot, _) = campaign.snapshot()?;
    let compared = match file {
        Ok((name, bytes)) => comparison::compare_with(snapshot, name, bytes).await,
        Err(error) => Err(error),
    };
    match compared {
        Ok(comparison) => page(&campaign, None, Some(comparison)).await,
        Err(error) => with_error(page(&campaign, Some(Notice::from(&error)), None).await?, error),
    }
}
