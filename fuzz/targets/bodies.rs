//! Any text as what the API and the log hold: answers to screens, settings, descriptions of crowds.

#![no_main]

use grove_campaign::Settings;
use grove_vocabulary::Response;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(response) = serde_json::from_str::<Response<u32, String>>(text) {
        let again = serde_json::to_string(&response).expect("an answer can be written");
        assert_eq!(serde_json::from_str::<Response<u32, String>>(&again).expect("and read again"), response);
        // What passes the check passes it again after concepts have got other numbers.
        if response.check().is_ok() {
            assert!(response.clone().map(|number| number.wrapping_mul(2)).reply.concepts().len() <= 12);
            assert!(response.try_map(Some).is_some());
        }
    }
    if let Ok(json) = serde_json::from_str(text)
        && let Ok(settings) = Settings::from_json(&json)
    {
        assert_eq!(Settings::from_json(&settings.to_json()).as_ref().ok(), Some(&settings));
    }
    if let Err(error) = grove_sim::CrowdSpec::parse(text) {
        assert!(!error.to_string().is_empty());
    }
});
