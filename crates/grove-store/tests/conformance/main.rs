//! One suite for both databases.

mod bench;
mod log;
mod postgres;

/// Runs each test on both databases.
macro_rules! on_both {
    ($($test:path as $name:ident),* $(,)?) => {
        mod sqlite {$(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let bench = crate::bench::Bench::sqlite().await;
                $test(&bench).await;
            }
        )*}
        mod postgresql {$(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let bench = crate::bench::Bench::postgres().await;
                $test(&bench).await;
            }
        )*}
    };
}

on_both! {
    crate::log::a_vote_is_recorded_once as a_vote_is_recorded_once,
}
