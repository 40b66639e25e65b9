//! One suite for both databases.

#[cfg(test)]
mod backup;
#[cfg(test)]
mod bench;
#[cfg(test)]
mod campaigns;
#[cfg(test)]
mod doctor;
#[cfg(test)]
mod holders;
#[cfg(test)]
mod leases;
#[cfg(test)]
mod log;
#[cfg(test)]
mod opening;
#[cfg(test)]
mod people;
#[cfg(test)]
mod postgres;
#[cfg(test)]
mod reconnecting;
#[cfg(test)]
mod together;

/// Runs each test on both databases. On PostgreSQL they are one test to the outside, since each test may be a process of its own, and would start a
/// server of its own.
macro_rules! on_both {
    ($($module:ident: $($name:ident),* $(,)?;)*) => {
        #[cfg(test)]
        mod sqlite {$($(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let bench = crate::bench::Bench::sqlite().await;
                crate::$module::$name(&bench).await;
            }
        )*)*}
        #[cfg(test)]
        mod postgresql {
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn passes_all_of_them() {
                let mut failed: Vec<&str> = Vec::new();
                $($(
                    let test = tokio::spawn(async {
                        let bench = crate::bench::Bench::postgres().await;
                        crate::$module::$name(&bench).await;
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
    backup: a_backup_restores_to_the_same, a_dump_moves_between_databases, a_cut_dump_is_refused,
        a_restore_overwrites_nothing;
    campaigns: names_are_the_owners_own, a_deleted_campaign_leaves_nothing, snapshots_are_pruned_and_found;
    doctor: a_whole_store_is_healthy, the_doctor_finds_planted_faults;
    holders: one_program_holds_a_belief, only_the_holder_advances;
    leases: quotas_hold, late_answers_count_and_end_no_other_lease, leases_follow_the_model;
    log: a_vote_is_recorded_once, a_withdrawn_vote_makes_room, appends_are_all_or_nothing,
        impossible_events_are_refused, entries_come_back_as_they_were, corrections_are_recorded_once,
        an_erased_worker_is_nowhere;
    people: owners_and_their_credentials, credentials_end_and_are_revoked;
    together: the_same_vote_from_everywhere_counts_once, refusals_do_not_spoil_the_group,
        positions_have_no_gaps_under_load, two_stores_share_a_database, readers_see_entries_in_order;
}
