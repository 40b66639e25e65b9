use grove_belief::{Error, Money, Spent, StopReason, StopRules, Target};

use crate::cases::exact;

fn spent(questions: u64, cents: u32) -> Spent {
    Spent { questions, money: Money::from_cents(cents) }
}

#[test]
fn without_rules_it_never_stops() {
    let sure = exact(2, &[(1, 2, [9, 0])]);
    assert_eq!(StopRules::none().should_stop(&sure, spent(1_000_000, 1_000_000), Some(0.0)), None);
}

#[test]
fn budgets_are_kept_to_the_last_vote() {
    let open = exact(2, &[]);
    let questions = StopRules::none().questions(3);
    assert_eq!(questions.should_stop(&open, spent(2, 0), None), None);
    let reason = questions.should_stop(&open, spent(3, 0), None);
    assert_eq!(reason, Some(StopReason::QuestionsUsedUp { budget: 3 }));

    let (budget, price) = (Money::from_cents(100), Money::from_cents(30));
    let money = StopRules::none().money(budget, price);
    // A vote that costs exactly the rest of the budget is still asked for.
    assert_eq!(money.should_stop(&open, spent(0, 70), None), None);
    let reason = money.should_stop(&open, spent(0, 71), None).unwrap();
    assert_eq!(reason, StopReason::MoneyUsedUp { budget, spent: Money::from_cents(71), price });
    let boundless = StopRules::none().money(Money::from_micros(u64::MAX), Money::from_micros(u64::MAX));
    assert!(
        boundless.should_stop(&open, spent(0, 1), None).is_some(),
        "a sum past 64 bits is past the budget"
    );
}

#[test]
fn a_target_is_reached_by_all_or_by_the_mean() {
    // 1 above 2 is all but sure; the place of 3 is open.
    let votes = [(1, 2, [9, 0]), (2, 1, [0, 9])];
    let (open, sure) = (exact(3, &votes), exact(2, &votes));
    let (every, mean) = (Target::default(), Target::mean(0.6).unwrap());
    assert!(every.is_reached(&sure) && !every.is_reached(&open));
    assert!(mean.is_reached(&open) && !Target::mean(0.9).unwrap().is_reached(&open));
    let rules = StopRules::none().target(every);
    assert_eq!(rules.should_stop(&open, spent(0, 0), None), None);
    assert_eq!(rules.should_stop(&sure, spent(0, 0), None), Some(StopReason::TargetReached(every)));
}

#[test]
fn questions_not_worth_asking_are_not_asked() {
    let open = exact(2, &[]);
    let rules = StopRules::none().least_gain(0.01).unwrap();
    assert_eq!(rules.should_stop(&open, spent(0, 0), Some(0.01)), None);
    assert_eq!(rules.should_stop(&open, spent(0, 0), None), None);
    let reason = rules.should_stop(&open, spent(0, 0), Some(0.009));
    assert_eq!(reason, Some(StopReason::GainTooSmall { gain: 0.009, least: 0.01 }));
}

#[test]
fn any_rule_stops_and_the_most_welcome_reason_is_given() {
    let sure = exact(2, &[(1, 2, [9, 0])]);
    let rules = StopRules::none().questions(1).target(Target::default()).least_gain(0.1).unwrap();
    let rules = rules.money(Money::from_cents(1), Money::from_cents(2));
    let reached = rules.should_stop(&sure, spent(9, 9), Some(0.0));
    assert_eq!(reached, Some(StopReason::TargetReached(Target::default())));
    let open = exact(2, &[]);
    assert!(matches!(
        rules.should_stop(&open, spent(9, 9), Some(0.0)),
        Some(StopReason::GainTooSmall { .. })
    ));
    assert!(matches!(rules.should_stop(&open, spent(9, 9), None), Some(StopReason::QuestionsUsedUp { .. })));
    assert!(matches!(rules.should_stop(&open, spent(0, 0), None), Some(StopReason::MoneyUsedUp { .. })));
}

#[test]
fn reasons_are_sentences() {
    let (budget, price) = (Money::from_cents(1_200), Money::from_cents(10));
    let reasons = [
        (
            StopReason::TargetReached(Target::default()),
            "The target is reached: every parent is at least 75 % certain.",
        ),
        (
            StopReason::TargetReached(Target::mean(0.55).unwrap()),
            "The target is reached: parents are at least 55 % certain on average.",
        ),
        (
            StopReason::GainTooSmall { gain: 0.004_04, least: 0.01 },
            "The best question would tell only 0.0040 bits, less than the 0.01 asked for.",
        ),
        (StopReason::QuestionsUsedUp { budget: 40 }, "The budget of 40 questions is used up."),
        (
            StopReason::MoneyUsedUp { budget, spent: Money::from_cents(1_195), price },
            "11.95 of 12.00 is spent, and one more vote at 0.10 would pass the budget.",
        ),
    ];
    for (reason, sentence) in reasons {
        assert_eq!(reason.to_string(), sentence);
    }
}

#[test]
fn invalid_thresholds_are_refused() {
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(Target::every(wrong), Err(Error::BadThreshold { .. })));
        assert!(matches!(Target::mean(wrong), Err(Error::BadThreshold { .. })));
        assert!(matches!(StopRules::none().least_gain(wrong), Err(Error::BadThreshold { .. })));
    }
    assert!(Target::every(1.0).is_ok());
    let refused = Target::every(1.5).unwrap_err().to_string();
    assert_eq!(refused, "a target certainty must lie above 0 and not above 1, not 1.5");
}
