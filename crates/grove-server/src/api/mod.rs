//! The HTTP API under /api/v1, each group of routes with its words in one file.

mod account;
mod campaigns;
mod compare;
mod concepts;
mod corrections;
mod document;
mod events;
mod exports;
mod hierarchy;
mod history;
mod invitations;
mod reports;
mod votes;
mod work;
mod workers;

use axum::Router;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::fault::Fault;

pub(crate) use account::{revoke_own, token_for, tokens_of};
pub(crate) use campaigns::cents;
pub(crate) use compare::{Comparison, compare};
pub(crate) use hierarchy::number;
pub(crate) use history::{CurvePoint, curve_of};
pub(crate) use invitations::{invite, revoke_invitation};
pub(crate) use workers::{WorkerRow, worker_rows};

/// All routes with the document that describes them.
fn described() -> (Router<App>, OpenApi) {
    let own = OpenApiRouter::new()
        .routes(routes!(account::me))
        .routes(routes!(account::tokens, account::make_token))
        .routes(routes!(account::revoke_token))
        .routes(routes!(campaigns::list, campaigns::create))
        .routes(routes!(campaigns::read, campaigns::delete))
        .routes(routes!(campaigns::settings, campaigns::set))
        .routes(routes!(campaigns::pause))
        .routes(routes!(campaigns::resume))
        .routes(routes!(campaigns::stop))
        .routes(routes!(concepts::list, concepts::add))
        .routes(routes!(concepts::change, concepts::remove))
        .routes(routes!(concepts::merge))
        .routes(routes!(corrections::list, corrections::make))
        .routes(routes!(corrections::undo))
        .routes(routes!(corrections::take_back))
        .routes(routes!(votes::list))
        .routes(routes!(votes::import))
        .routes(routes!(hierarchy::hierarchy))
        .routes(routes!(reports::report))
        .routes(routes!(reports::doubtful))
        .routes(routes!(reports::why))
        .routes(routes!(workers::list))
        .routes(routes!(workers::erase))
        .routes(routes!(workers::payments))
        .routes(routes!(history::history))
        .routes(routes!(history::curve))
        .routes(routes!(exports::export))
        .routes(routes!(compare::compare_route))
        .routes(routes!(invitations::list, invitations::make))
        .routes(routes!(invitations::revoke))
        .routes(routes!(events::events))
        .routes(routes!(work::next))
        .routes(routes!(work::vote))
        .routes(routes!(work::undo));
    let (router, mut api) = OpenApiRouter::new().nest("/api/v1", own).split_for_parts();
    document::complete(&mut api);
    (router, api)
}

/// The API's routes.
pub(crate) fn routes() -> Router<App> {
    let (router, api) = described();
    let document = api.to_pretty_json().expect("a document of text keys can be written");
    let answer = move || {
        let document = document.clone();
        async move { ([(header::CONTENT_TYPE, "application/json")], document).into_response() }
    };
    router.route("/api/v1/openapi.json", get(answer)).route("/api/{*rest}", axum::routing::any(unknown))
}

/// The document that describes the API, as JSON.
#[must_use]
pub fn openapi() -> String {
    described().1.to_pretty_json().expect("a document of text keys can be written")
}

async fn unknown() -> Fault {
    Fault::NotFound
}
