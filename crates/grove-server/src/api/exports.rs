use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use grove_formats::{Format, WriteOptions, write};
use grove_store::Position;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::App;
use crate::auth::Owned;
use crate::campaigns::view;
use crate::fault::Fault;
use crate::read::{Asks, Last};

/// How to write.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct HowToWrite {
    /// The address before every identifier, in SKOS, OWL and SSSOM.
    base: Option<String>,
    /// A position of the log, to write what was believed then.
    #[param(minimum = 0, maximum = 4_294_967_295u32, value_type = Option<u64>)]
    at: Option<u32>,
}

/// The hierarchy as a file, in any of the formats: skos, skos-xml, skos-jsonld, owl, owl-turtle, obo, newick, dot, mermaid, csv, paths, json,
/// node-link, sssom, svg, html.
#[utoipa::path(get, path = "/campaigns/{campaign}/export/{format}", tag = "hierarchy",
    params(("campaign" = Uuid, Path), ("format" = String, Path), HowToWrite),
    responses((status = 200, content_type = "*/*", body = String)))]
pub(super) async fn export(
    State(app): State<App>,
    owned: Owned,
    Last(format): Last<Format>,
    Asks(how): Asks<HowToWrite>,
) -> Result<Response, Fault> {
    let view = match how.at {
        Some(at) => app.campaigns().view_at(owned.id, Position(at.into())).await?,
        None => view(&owned.campaign),
    };
    let usual = WriteOptions::default();
    let options = WriteOptions { base: how.base.unwrap_or(usual.base.clone()), ..usual };
    let text = write(&view.hierarchy, format, &options)?;
    let disposition = format!("attachment; filename=\"hierarchy.{}\"", format.extension());
    let media_type = format!("{}; charset=utf-8", format.media_type());
    let value = |text: &str| HeaderValue::from_str(text).map_err(|_| Fault::Internal);
    let headers =
        [(header::CONTENT_TYPE, value(&media_type)?), (header::CONTENT_DISPOSITION, value(&disposition)?)];
    Ok((headers, text).into_response())
}
