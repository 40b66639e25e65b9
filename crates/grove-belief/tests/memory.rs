//! How much memory the workers of a large crowd take. Every chain has rates for each of them, so a few bytes count a thousand times.
//!
//! Linux alone says what a process holds in this way.

#[cfg(test)]
#[cfg(target_os = "linux")]
mod workers {
    use grove_belief::{
        Answer, Ensemble, EnsembleSettings, Evidence, Question, Response, Settings, Vote, Worker,
    };
    use grove_tree::Concept;
    use grove_vocabulary::{Reply, Screen};

    /// What the process holds, in bytes.
    fn held() -> f64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.split_whitespace().next().unwrap().parse::<f64>().unwrap() * 1024.0
    }

    fn ensemble(trees: usize) -> Ensemble {
        let evidence = Evidence::new(3, Settings::default()).unwrap();
        Ensemble::new(evidence, EnsembleSettings { trees, moves: 4, seed: 1 }).unwrap()
    }

    fn vote(worker: usize) -> Response {
        let question = Question::path(Concept::new(1), Concept::new(2)).unwrap();
        Vote { question, worker: Worker::new(worker as u32), answer: Answer::Yes }.into()
    }

    fn place(worker: usize) -> Response {
        let screen = Screen::Place { lower: Concept::new(2) };
        Response { worker: Worker::new(worker as u32), screen, reply: Reply::Under(Concept::new(1)) }
    }

    /// By how many bytes the process grows for each of these workers and trees, if every worker answers once; and the belief, which keeps them.
    fn growth(workers: usize, trees: usize, answer: fn(usize) -> Response) -> (f64, Ensemble) {
        let responses: Vec<Response> = (0..workers).map(answer).collect();
        let mut belief = ensemble(trees);
        let before = held();
        belief.respond_all(&responses, 0).unwrap();
        let grown = held() - before;
        assert_eq!(belief.draws().next().unwrap().rates.len(), workers);
        (grown / (workers * trees) as f64, belief)
    }

    /// One test, since memory that one has freed would seem to cost another nothing.
    #[test]
    fn a_worker_takes_little_memory_in_every_tree() {
        // Three rates and six logarithms are 72 bytes, and room for other workers an eighth of that at most. There were 216, and room for as many again.
        let (each, voters) = growth(1_500, 100, vote);
        assert!((60.0..100.0).contains(&each), "{each} bytes for a vote");
        // Nine more rates are another 72. These and their logarithms were 216.
        let (each, placers) = growth(1_500, 100, place);
        assert!((120.0..190.0).contains(&each), "{each} bytes for a place");
        // The trees of a report have the rates, and nothing that follows from them.
        let (_, few) = growth(100, 600, vote);
        let before = held();
        let refined = few.refined();
        let each = (held() - before) / (100 * refined.trees().len()) as f64;
        assert!((20.0..60.0).contains(&each), "{each} bytes in a report");
        drop((voters, placers));
    }
}
