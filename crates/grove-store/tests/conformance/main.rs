//! One suite for both databases.

#[cfg(test)]
mod bench;
#[cfg(test)]
mod log;
#[cfg(test)]
mod postgres;

/// Runs each test on both databases.
macro_rules! on_both {
    ($($test:path as $name:ident),* $(,)?) => {
        #[cfg(test)]
        mod sqlite {$(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let bench = crate::bench::Bench::sqlite().await;
                $test(&bench).await;
            }
        )*}
        #[cfg(test)]
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
