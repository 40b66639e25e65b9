//! HTML pages, one file per page with its forms. All work without JavaScript.

mod account;
mod audit;
mod campaign;
mod chart;
mod compare;
mod export;
mod hierarchy;
mod history;
mod home;
mod invite;
mod layout;
mod login;
mod members;
mod money;
mod new_campaign;
mod options;
pub(crate) mod panel;
mod panel_texts;
mod personal_data;
mod progress;
mod recruit;
mod refusals;
mod settings;
mod shared;
mod toast;
mod translations;
mod upload;
mod words;
mod work;
mod workers;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};

use crate::app::App;
use crate::http_error::HttpError;
use layout::errors_as_pages;

pub(crate) use layout::probability;

/// The longest form of somebody who is not logged in yet, in bytes.
const MAX_LOGIN: usize = 16 * 1024;

/// All pages. Errors are rendered as pages too.
pub(crate) fn routes(app: &App) -> Router<App> {
    let campaign = Router::new()
        .route("/", get(hierarchy::show))
        .route("/changes", post(hierarchy::changes))
        .route("/names", get(hierarchy::names))
        .route("/history", get(history::show))
        .route("/history/{position}/undo", post(hierarchy::undo))
        .route("/progress", get(progress::show))
        .route("/workers", get(workers::show))
        .route("/workers/votes", get(workers::votes))
        .route("/workers/erase", post(workers::erase))
        .route("/workers/exclude", post(workers::exclude))
        .route("/workers/include", post(workers::include))
        .route("/workers/data", get(personal_data::of_worker))
        .route("/payments.csv", get(workers::payments))
        .route("/invite", get(invite::show).post(invite::create))
        .route("/invite/{invitation}/revoke", post(invite::revoke))
        .route("/invite/{invitation}/exclude", post(invite::exclude))
        .route("/invite/{invitation}/include", post(invite::include))
        .route("/share", post(invite::share))
        .route("/share/{link}/revoke", post(invite::stop_sharing))
        .route("/members", post(members::set))
        .route("/members/{account}/remove", post(members::remove))
        .route("/owner", post(members::hand_over))
        .route("/recruit", get(recruit::show))
        .route("/recruit/panels", post(recruit::add_panel))
        .route("/recruit/studies", post(recruit::add_study))
        .route("/recruit/models", post(recruit::ask))
        .route("/recruit/models/stop", post(recruit::stop_asking))
        .route("/recruit/{panel}", get(recruit::show_panel))
        .route("/recruit/{panel}/sync", post(recruit::sync))
        .route("/recruit/{panel}/approve-all", post(recruit::approve_all))
        .route("/recruit/{panel}/decide", post(recruit::decide))
        .route("/recruit/{panel}/limits", post(recruit::limits))
        .route("/recruit/{panel}/study/{action}", post(recruit::act))
        .route("/compare", get(compare::show).post(compare::compare))
        .route("/export", get(export::show))
        .route("/settings", get(settings::show).post(settings::save))
        .route("/pause", post(hierarchy::pause))
        .route("/resume", post(hierarchy::resume))
        .route("/stop", post(settings::stop))
        .route("/delete", post(settings::delete))
        .route("/correct", post(hierarchy::correct))
        .route("/corrections/{correction}/undo", post(hierarchy::undo_correction))
        .route("/concepts", post(hierarchy::add))
        .route("/concepts/{concept}/rename", post(hierarchy::rename))
        .route("/concepts/{concept}/describe", post(hierarchy::describe))
        .route("/concepts/{concept}/article", post(hierarchy::set_article))
        .route("/concepts/{concept}/merge", post(hierarchy::merge))
        .route("/concepts/{concept}/remove", post(hierarchy::remove));
    let worker = Router::new()
        .route("/", get(work::show))
        .route("/start", post(work::start))
        .route("/vote", post(work::vote))
        .route("/undo", post(work::undo))
        .route("/decline", post(panel::decline))
        .route("/data", get(personal_data::own))
        .route("/places", get(work::places))
        .route("/places.json", get(work::place_list));
    let shared = Router::new()
        .route("/", get(shared::show))
        .route("/changes", post(shared::changes))
        .route("/events", get(shared::events));
    Router::new()
        .route("/", get(home::show))
        .route("/login", get(login::form).post(login::log_in).layer(DefaultBodyLimit::max(MAX_LOGIN)))
        .route("/logout", post(login::log_out))
        .route("/setup/{secret}", get(login::setup_form).post(login::set_up))
        .route("/enter/{secret}", get(login::enter_form).post(login::enter))
        .route("/account", get(account::show))
        .route("/account/password", post(account::password))
        .route("/account/sessions/{session}/end", post(account::end))
        .route("/account/tokens", post(account::make_token))
        .route("/account/tokens/{token}/revoke", post(account::revoke))
        .route("/campaigns/new", get(new_campaign::form).post(new_campaign::create))
        .route("/campaigns/new/preview", post(new_campaign::preview))
        .nest("/campaigns/{campaign}", campaign)
        .nest("/w/{invitation}", worker)
        .route("/p/{panel}", get(panel::enter))
        .nest("/s/{secret}", shared)
        .fallback(not_found)
        .layer(from_fn_with_state(app.clone(), errors_as_pages))
}

async fn not_found() -> HttpError {
    HttpError::NotFound
}
