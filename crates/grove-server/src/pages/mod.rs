//! HTML pages, one file per page with its forms. All work without JavaScript.

mod account;
mod campaign;
mod compare;
mod concept;
mod edits;
mod export;
mod hierarchy;
mod home;
mod invite;
mod layout;
mod login;
mod new_campaign;
mod overview;
mod progress;
mod settings;
mod translations;
mod tree;
mod upload;
mod work;
mod workers;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};

use crate::app::App;
use crate::http_error::HttpError;
use layout::errors_as_pages;

pub(crate) use layout::{money, probability};

/// The pages of a campaign: the end of the path, and the name on the tab.
pub(crate) const TABS: &[(&str, &str)] = &[
    ("", "Hierarchy"),
    ("/progress", "Progress"),
    ("/workers", "Workers"),
    ("/invite", "Invite"),
    ("/compare", "Compare"),
    ("/export", "Export"),
    ("/settings", "Settings"),
];

/// The longest form of somebody who is not logged in yet, in bytes.
const MAX_LOGIN: usize = 16 * 1024;

/// All pages. Errors are rendered as pages too.
pub(crate) fn routes(app: &App) -> Router<App> {
    let campaign = Router::new()
        .route("/", get(hierarchy::show))
        .route("/progress", get(progress::show))
        .route("/workers", get(workers::show))
        .route("/workers/erase", post(workers::erase))
        .route("/payments.csv", get(workers::payments))
        .route("/invite", get(invite::show).post(invite::create))
        .route("/invite/{invitation}/revoke", post(invite::revoke))
        .route("/compare", get(compare::show).post(compare::compare))
        .route("/export", get(export::show))
        .route("/settings", get(settings::show).post(settings::save))
        .route("/pause", post(edits::pause))
        .route("/resume", post(edits::resume))
        .route("/stop", post(settings::stop))
        .route("/delete", post(settings::delete))
        .route("/correct", post(edits::correct))
        .route("/corrections/{correction}/undo", post(edits::undo_correction))
        .route("/concepts", post(edits::add))
        .route("/concepts/{concept}/rename", post(edits::rename))
        .route("/concepts/{concept}/describe", post(edits::describe))
        .route("/concepts/{concept}/merge", post(edits::merge))
        .route("/concepts/{concept}/remove", post(edits::remove));
    let worker = Router::new()
        .route("/", get(work::show))
        .route("/start", post(work::start))
        .route("/vote", post(work::vote))
        .route("/undo", post(work::undo));
    Router::new()
        .route("/", get(home::show))
        .route("/login", get(login::form).post(login::log_in).layer(DefaultBodyLimit::max(MAX_LOGIN)))
        .route("/logout", post(login::log_out))
        .route("/setup/{secret}", get(login::setup_form).post(login::set_up))
        .route("/enter/{secret}", get(login::enter_form).post(login::enter))
        .route("/account", get(account::show))
        .route("/account/password", post(account::password))
        .route("/account/tokens", post(account::make_token))
        .route("/account/tokens/{token}/revoke", post(account::revoke))
        .route("/campaigns/new", get(new_campaign::form).post(new_campaign::create))
        .nest("/campaigns/{campaign}", campaign)
        .nest("/w/{invitation}", worker)
        .fallback(not_found)
        .layer(from_fn_with_state(app.clone(), errors_as_pages))
}

async fn not_found() -> HttpError {
    HttpError::NotFound
}
