//! One suite for both databases.

#[cfg(test)]
mod backup;
#[cfg(test)]
mod campaigns;
#[cfg(test)]
mod concurrency;
#[cfg(test)]
mod doctor;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod holders;
#[cfg(test)]
mod leases;
#[cfg(test)]
mod log;
#[cfg(test)]
mod logins;
#[cfg(test)]
mod opening;
#[cfg(test)]
mod owners;
#[cfg(test)]
mod postgres;
#[cfg(test)]
mod reconnecting;

/// Runs each test on both databases. On PostgreSQL they are a single test, since a test runner may start a process for each test, which would
/// start a server of its own.
macro_rules! on_both {
    ($($module:ident: $($name:ident),* $(,)?;)*) => {
        #[cfg(test)]
        mod sqlite {$($(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let fixture = crate::fixture::Fixture::sqlite().await;
                crate::$module::$name(&fixture).await;
            }
        )*)*}
        #[cfg(test)]
        mod postgresql {
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn passes_all_of_them() {
                if crate::postgres::is_missing() {
                    return;
                }
                let mut failed: Vec<&str> = Vec::new();
                $($(
                    let test = tokio::spawn(async {
                        let fixture = crate::fixture::Fixture::postgres().await;
                        crate::$module::$name(&fixture).await;
                    });
                    if test.await.is_err() {
                        failed.push(stringify!($name));
                    }
                )*)*
                assert!(failed.is_empty(), "failed on PostgreSQL: {failed:?}");
            }
        }
    };
}

on_both! {
    backup: a_backup_restores_to_the_same, a_dump_moves_between_databases, an_incomplete_dump_is_refused,
        a_restore_overwrites_nothing, files_are_for_their_owner_alone;
    campaigns: names_are_unique_per_owner, a_campaign_is_shared_and_handed_over, a_deleted_campaign_leaves_nothing,
        snapshots_are_pruned_and_found;
    doctor: an_intact_store_has_no_findings, the_doctor_finds_planted_faults;
    holders: one_program_holds_a_belief, only_the_holder_advances;
    leases: quotas_hold, late_answers_count_and_end_no_other_lease, leases_follow_the_model;
    log: a_vote_is_recorded_once, every_form_is_recorded_once, a_withdrawn_vote_can_be_replaced,
        a_vote_is_replaced_in_one_step, appends_are_all_or_nothing,
        impossible_events_are_refused, entries_are_read_as_written,
        an_upgraded_database_gets_no_entries, corrections_are_recorded_once,
        an_erased_worker_leaves_no_trace;
    logins: guesses_are_limited, a_clock_that_jumps_locks_nobody_out, a_new_account_is_not_locked,
        parallel_guesses_are_no_more, guesses_are_counted_out_of_order, old_guesses_are_forgotten;
    owners: owners_and_their_credentials, credentials_expire_and_are_revoked;
    concurrency: concurrent_repeats_of_a_vote_count_once, refused_votes_do_not_affect_others, the_budget_is_never_exceeded, links_are_capped,
        panels_are_capped, late_news_of_a_bonus_does_not_lead_to_another, a_models_budget_holds_between_programs,
        models_and_people_do_not_wait_for_each_other,
        finished_studies_are_told_from_those_with_work, money_of_a_study_is_committed_by_one_program_at_a_time,
        positions_have_no_gaps_under_load, two_stores_share_a_database, readers_see_entries_in_order;
}
