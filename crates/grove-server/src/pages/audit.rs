use grove_belief::DOUBTFUL_BELOW;
use grove_campaign::operations::Access;

use super::words::counted;
use crate::http_error::Result;

/// How doubtful the places are in a campaign that starts from a hierarchy, and how long it takes to check them. None if it starts from nothing, and
/// until the hierarchy was looked at.
pub(super) fn audit(campaign: &Access) -> Result<Option<String>> {
    let (snapshot, _) = campaign.snapshot()?;
    if snapshot.measures.is_none() || !campaign.state()?.starts_from_hierarchy() {
        return Ok(None);
    }
    let certainties = || snapshot.hierarchy.entries().iter().filter_map(|entry| entry.certainty);
    let doubtful = certainties().filter(|certainty| *certainty < DOUBTFUL_BELOW).count();
    let screens = snapshot.forecast.and_then(|forecast| forecast.questions);
    let screens = screens.filter(|screens| *screens > 0.0 && snapshot.stop.is_none());
    let left = screens.zip(snapshot.forecast_seconds).map(|(screens, seconds)| {
        let [screens, minutes] = [screens, seconds / 60.0].map(|left| left.ceil() as u32);
        format!("; about {} and {} to check them", counted(screens, "screen"), counted(minutes, "minute"))
    });
    let (all, left) = (certainties().count(), left.unwrap_or_default());
    Ok(Some(format!("{doubtful} of {all} places are doubtful{left}.")))
}
