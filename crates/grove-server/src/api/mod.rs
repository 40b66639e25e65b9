//! The HTTP API under /api/v1, one file per resource.

mod account;
mod campaigns;
mod concepts;
mod corrections;
mod document;
mod events;
mod hierarchy;
mod history;
mod hooks;
mod invitations;
mod members;
mod models;
mod panels;
mod reports;
mod votes;
mod work;
mod workers;

use std::sync::LazyLock;

use axum::Router;
use axum::http::header;
use axum::routing::{any, get};
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::http_error::HttpError;

/// The routes and the OpenAPI document that describes them.
fn routes_and_document() -> (Router<App>, OpenApi) {
    let resources = OpenApiRouter::new()
        .routes(routes!(account::me))
        .routes(routes!(account::tokens, account::create_token))
        .routes(routes!(account::revoke))
        .routes(routes!(campaigns::list, campaigns::create))
        .routes(routes!(campaigns::read, campaigns::delete))
        .routes(routes!(campaigns::settings, campaigns::set))
        .routes(routes!(campaigns::pause))
        .routes(routes!(campaigns::resume))
        .routes(routes!(campaigns::stop))
        .routes(routes!(concepts::list, concepts::add))
        .routes(routes!(concepts::change, concepts::remove))
        .routes(routes!(concepts::merge))
        .routes(routes!(concepts::relocate))
        .routes(routes!(corrections::list, corrections::make))
        .routes(routes!(corrections::undo_newest))
        .routes(routes!(corrections::undo))
        .routes(routes!(votes::list))
        .routes(routes!(votes::import))
        .routes(routes!(hierarchy::read))
        .routes(routes!(reports::report))
        .routes(routes!(reports::doubtful))
        .routes(routes!(reports::why))
        .routes(routes!(workers::list))
        .routes(routes!(workers::erase))
        .routes(routes!(workers::exclude))
        .routes(routes!(workers::include))
        .routes(routes!(workers::data))
        .routes(routes!(workers::payments))
        .routes(routes!(history::history))
        .routes(routes!(history::curve))
        .routes(routes!(hierarchy::export))
        .routes(routes!(hierarchy::compare))
        .routes(routes!(invitations::list, invitations::create))
        .routes(routes!(invitations::revoke))
        .routes(routes!(invitations::exclude))
        .routes(routes!(invitations::include))
        .routes(routes!(members::list, members::set))
        .routes(routes!(members::remove))
        .routes(routes!(members::hand_over))
        .routes(routes!(panels::list, panels::create))
        .routes(routes!(panels::read))
        .routes(routes!(panels::quote))
        .routes(routes!(panels::command))
        .routes(routes!(panels::sync))
        .routes(routes!(panels::decide))
        .routes(routes!(panels::methods))
        .routes(routes!(models::read))
        .routes(routes!(models::ask, models::stop))
        .routes(routes!(events::events))
        .routes(routes!(work::next))
        .routes(routes!(work::vote))
        .routes(routes!(work::undo));
    let (router, mut api) = OpenApiRouter::new().nest("/api/v1", resources).split_for_parts();
    document::complete(&mut api);
    (router, api)
}

/// The routes of the API.
pub(crate) fn routes() -> Router<App> {
    static DOCUMENT: LazyLock<String> = LazyLock::new(openapi);
    let document = || async { ([(header::CONTENT_TYPE, "application/json")], DOCUMENT.as_str()) };
    let router = routes_and_document().0;
    let router = router.route("/api/hooks/{connection}", axum::routing::post(hooks::receive));
    router.route("/api/v1/openapi.json", get(document)).route("/api/{*rest}", any(not_found))
}

/// Returns the OpenAPI document of the API, as JSON.
#[must_use]
pub fn openapi() -> String {
    routes_and_document().1.to_pretty_json().expect("a document with text keys can be serialised")
}

async fn not_found() -> HttpError {
    HttpError::NotFound
}
