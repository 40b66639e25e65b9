//! Pages for people, each in one file with its actions. All work without JavaScript.

mod account;
mod actions;
mod campaign;
mod compare;
mod curve;
mod hierarchy;
mod home;
mod invite;
mod login;
mod new;
mod overview;
mod people;
mod settings;
mod shell;
mod tree;
mod upload;
mod why;
mod words;
mod work;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};

use crate::app::App;
use crate::fault::Fault;
use shell::faults_as_pages;

pub(crate) use shell::chance;

/// The pages of a campaign: what comes behind its address, and what the tab says.
pub(crate) const TABS: &[(&str, &str)] = &[
    ("", "Hierarchy"),
    ("/progress", "Progress"),
    ("/workers", "Workers"),
    ("/invite", "Invite"),
    ("/compare", "Compare"),
    ("/export", "Export"),
    ("/settings", "Settings"),
];

/// All pages. What goes wrong is told in a page too.
pub(crate) fn routes(app: &App) -> Router<App> {
    let campaign = Router::new()
        .route("/", get(hierarchy::show))
        .route("/progress", get(curve::show))
        .route("/workers", get(people::show))
        .route("/workers/erase", post(people::erase))
        .route("/payments.csv", get(people::payments))
        .route("/invite", get(invite::show).post(invite::make))
        .route("/invite/{invitation}/revoke", post(invite::revoke))
        .route("/compare", get(compare::show).post(compare::compare))
        .route("/export", get(compare::exports))
        .route("/settings", get(settings::show).post(settings::save))
        .route("/pause", post(actions::pause))
        .route("/resume", post(actions::resume))
        .route("/stop", post(settings::stop))
        .route("/delete", post(settings::delete))
        .route("/correct", post(actions::correct))
        .route("/corrections/{correction}/take-back", post(actions::take_back))
        .route("/concepts", post(actions::add))
        .route("/concepts/{concept}/rename", post(actions::rename))
        .route("/concepts/{concept}/describe", post(actions::describe))
        .route("/concepts/{concept}/merge", post(actions::merge))
        .route("/concepts/{concept}/remove", post(actions::remove));
    let worker = Router::new()
        .route("/", get(work::show))
        .route("/start", post(work::start))
        .route("/vote", post(work::vote))
        .route("/undo", post(work::undo));
    Router::new()
        .route("/", get(home::show))
        .route("/login", get(login::form).post(login::log_in))
        .route("/logout", post(login::log_out))
        .route("/setup/{secret}", get(login::setup_form).post(login::set_up))
        .route("/enter/{secret}", get(login::enter))
        .route("/account", get(account::show))
        .route("/account/password", post(account::password))
        .route("/account/tokens", post(account::make_token))
        .route("/account/tokens/{token}/revoke", post(account::revoke_token))
        .route("/campaigns/new", get(new::form).post(new::create))
        .nest("/campaigns/{campaign}", campaign)
        .nest("/w/{invitation}", worker)
        .fallback(unknown)
        .layer(from_fn_with_state(app.clone(), faults_as_pages))
}

async fn unknown() -> Fault {
    Fault::NotFound
}
