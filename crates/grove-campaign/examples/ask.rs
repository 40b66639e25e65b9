//! A campaign from its first question to a hierarchy, in a temporary SQLite file.
//!
//! `cargo run --release -p grove-campaign --example ask`

use std::error::Error;
use std::sync::Arc;

use grove_campaign::{Campaign, NewConcept, NoiseSetting, Settings, SystemClock};
use grove_store::{Answer, Store, SubmittedVote, Vote, VoteId, WorkerId};
use uuid::Uuid;

/// Concepts and their parents, as the one who answers sees them; concepts are numbered from 1.
const FOOD: [(&str, u32); 5] = [("fruit", 0), ("apple", 1), ("orange", 1), ("vegetable", 0), ("carrot", 4)];

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::temp_dir().join(format!("grove-ask-{}.db", Uuid::now_v7()));
    let store = Store::open(&file.display().to_string()).await?;
    let noise = NoiseSetting::Given { false_yes: 0.05, false_no: 0.05 };
    let settings = Settings { root: "food".into(), noise, ..Settings::default() };
    let concepts = FOOD.map(|(name, _)| NewConcept::named(name));
    let clock = Arc::new(SystemClock);
    let campaign = Campaign::create(&store, None, "food", &settings, &concepts, clock).await?;

    let ann = WorkerId::new("ann")?;
    campaign.advance().await?;
    for _ in 0..12 {
        let Some(offer) = campaign.next_question(&ann).await? else { break };
        let asked = campaign.state().ask(offer.question)?;
        let answer =
            if is_above(offer.question.upper, offer.question.lower) { Answer::Yes } else { Answer::No };
        println!("{} {answer:?}", asked.text);
        let vote = Vote { worker: ann.clone(), question: offer.question, answer };
        campaign.vote(SubmittedVote { id: VoteId(Uuid::now_v7()), vote }).await?;
        campaign.advance().await?;
    }

    let hierarchy = campaign.follower().await?.hierarchy()?;
    for entry in hierarchy.entries() {
        let parent = entry.parent.index().checked_sub(1).map_or("food", |at| FOOD[at].0);
        println!("{} under {parent}: {:.2}", entry.name, entry.certainty.unwrap_or(1.0));
    }
    campaign.close().await?;
    store.close().await;
    std::fs::remove_file(file)?;
    Ok(())
}

fn is_above(upper: u32, lower: u32) -> bool {
    let mut at = lower;
    while at != 0 && at != upper {
        at = FOOD[at as usize - 1].1;
    }
    at == upper
}
