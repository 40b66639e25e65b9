//! A campaign from its first question to a hierarchy, in a temporary SQLite file.
//!
//! `cargo run --release -p grove-campaign --example ask`

use std::error::Error;
use std::sync::Arc;

use grove_campaign::{Campaign, NewConcept, NoiseSetting, Preset, Settings, SystemClock};
use grove_store::{Reply, Response, Screen, Store, SubmittedVote, VoteId, WorkerId};
use uuid::Uuid;

/// Concepts and their parents, as the one who answers sees them; concepts are numbered from 1.
const FOOD: [(&str, u32); 5] = [("fruit", 0), ("apple", 1), ("orange", 1), ("vegetable", 0), ("carrot", 4)];

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::temp_dir().join(format!("grove-ask-{}.db", Uuid::now_v7()));
    let store = Store::open(&file.display().to_string()).await?;
    let noise = NoiseSetting::Given { false_yes: 0.05, false_no: 0.05 };
    let settings = Settings { root: "food".into(), noise, ..Settings::new(Preset::Owner) };
    let concepts = FOOD.map(|(name, _)| NewConcept::named(name));
    let clock = Arc::new(SystemClock);
    let campaign = Campaign::create(&store, None, "food", &settings, &concepts, clock).await?;

    let ann = WorkerId::new("ann")?;
    campaign.advance().await?;
    loop {
        let Some(offer) = campaign.next_screen(&ann).await? else { break };
        if campaign.should_stop(Some(&offer)).await?.is_some() {
            break;
        }
        let asked = campaign.state().ask(offer.screen.clone())?;
        let reply = reply(&offer.screen);
        println!("{} {}", asked.text, reply.clone().map(|number| FOOD[number as usize - 1].0));
        let response = Response::new(ann.clone(), offer.screen, reply)?;
        campaign.vote(SubmittedVote::new(VoteId(Uuid::now_v7()), response)).await?;
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

/// What the one who answers says to a screen, whatever its form.
fn reply(screen: &Screen) -> Reply {
    match screen {
        Screen::YesNo(question) if is_above(question.upper, question.lower) => Reply::Yes,
        Screen::YesNo(_) => Reply::No,
        Screen::Pick { lower, options } => {
            let above = options.iter().filter(|option| is_above(**option, *lower));
            above
                .max_by_key(|option| FOOD[**option as usize - 1].1)
                .map_or(Reply::None, |one| Reply::Picked(*one))
        }
        Screen::Tick { upper, options } => {
            let below: Vec<u32> =
                options.iter().copied().filter(|option| is_above(*upper, *option)).collect();
            if below.is_empty() { Reply::None } else { Reply::Ticked(below) }
        }
        Screen::Place { lower } => match FOOD[*lower as usize - 1].1 {
            0 => Reply::Top,
            parent => Reply::Under(parent),
        },
    }
}

fn is_above(upper: u32, lower: u32) -> bool {
    let mut at = lower;
    while at != 0 && at != upper {
        at = FOOD[at as usize - 1].1;
    }
    at == upper
}
