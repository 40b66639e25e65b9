//! Forecasts against simulated runs to the end.

use grove_belief::{
    Answer, Belief, Ensemble, EnsembleSettings, Evidence, Exact, Forecast, Money, Settings, Strategy, Target,
    Vote, Worker, choose,
};
use grove_tree::Tree;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::cases::exact;

/// The forecast before every question of a run that ends when the target is reached.
fn run(count: usize, noise: f64, target: Target, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let truth = Tree::random(count, &mut rng);
    let evidence = Evidence::new(count, Settings::one_rate(noise).unwrap()).unwrap();
    let mut belief: Box<dyn Belief> = match count {
        ..=9 => Box::new(Exact::new(evidence).unwrap()),
        _ => Box::new(Ensemble::new(evidence, EnsembleSettings { trees: 200, moves: 8, seed }).unwrap()),
    };
    let mut forecasts = Vec::new();
    while !target.is_reached(&*belief) && forecasts.len() < 1_000 {
        let worker = Worker::new(forecasts.len() as u32);
        let choice = choose(&*belief, Strategy::Gain, worker, &|_| false, &mut rng).unwrap();
        forecasts.push(Forecast::of(&*belief, target, choice.gain).questions.unwrap());
        let honest = truth.is_above(choice.question.upper, choice.question.lower);
        let yes = honest != (rng.random::<f64>() < noise);
        let answer = if yes { Answer::Yes } else { Answer::No };
        belief.record(Vote { question: choice.question, worker, answer }).unwrap();
    }
    forecasts
}

/// The ratio of the forecast to the number of questions needed, as a geometric mean over runs, at the beginning of the runs, half way and three quarters through.
fn ratios(
    count: usize,
    noise: f64,
    target: Target,
    runs: u64,
    forecast: impl Fn(&[f64], usize) -> f64,
) -> [f64; 3] {
    let mut logs = [0.0; 3];
    for seed in 0..runs {
        let run = run(count, noise, target, seed);
        for (log, quarters) in logs.iter_mut().zip([0, 2, 3]) {
            let at = run.len() * quarters / 4;
            *log += (forecast(&run, at) / (run.len() - at) as f64).ln() / runs as f64;
        }
    }
    logs.map(f64::exp)
}

fn within_a_factor_of_two(ratios: [f64; 3]) -> bool {
    ratios.iter().all(|ratio| (0.5..2.0).contains(ratio))
}

#[test]
fn right_within_a_factor_of_two_on_average() {
    let cases = [
        (8, 0.0, Target::default(), 12),
        (8, 0.1, Target::default(), 12),
        (8, 0.1, Target::mean(0.9).unwrap(), 12),
        (14, 0.05, Target::default(), 4),
        (20, 0.1, Target::default(), 3),
    ];
    for (count, noise, target, runs) in cases {
        let ratios = ratios(count, noise, target, runs, |run, at| run[at]);
        println!("{count} concepts, noise {noise}, {target}: {ratios:.2?}");
        assert!(within_a_factor_of_two(ratios), "{count} concepts, noise {noise}, {target}: {ratios:.2?}");
    }
}

/// A planted fault: a forecast that is never updated.
#[test]
fn a_stale_forecast_is_noticed() {
    assert!(!within_a_factor_of_two(ratios(8, 0.1, Target::default(), 12, |run, _| run[0])));
}

#[test]
fn a_reached_target_needs_nothing() {
    let belief = exact(2, &[(1, 2, [5, 0])]);
    let forecast = Forecast::of(&belief, Target::default(), 0.1);
    assert_eq!((forecast.questions, forecast.remaining_bits), (Some(0.0), 0.0));
    assert_eq!(forecast.cost(Money::from_cents(7)), Some(Money::default()));
}

#[test]
fn costs_whole_votes() {
    // Three equally probable trees: both parents have 0.918 bits, of which the target leaves 0.811; at 0.1 bits that takes 2.1 questions.
    let belief = exact(2, &[]);
    let forecast = Forecast::of(&belief, Target::default(), 0.1);
    assert!((forecast.questions.unwrap() - 2.140).abs() < 0.001, "{forecast:?}");
    assert_eq!(forecast.cost(Money::from_cents(7)), Some(Money::from_cents(21)));
    assert_eq!(forecast.cost(Money::from_micros(u64::MAX)), None);
    let useless = Forecast::of(&belief, Target::default(), 0.0);
    assert_eq!((useless.questions, useless.cost(Money::from_cents(7))), (None, None));
}
