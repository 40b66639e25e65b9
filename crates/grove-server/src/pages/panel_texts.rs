//! The texts of the page by which somebody leaves for their panel, in the languages of the worker page.

/// The texts in one language.
pub(super) struct PanelTexts {
    pub(super) language: &'static str,
    pub(super) direction: &'static str,
    /// The heading for those who have answered.
    pub(super) done: &'static str,
    /// The heading for those who were turned away.
    pub(super) away: &'static str,
    /// Before the code.
    pub(super) code: &'static str,
    /// The link to the panel.
    pub(super) back: &'static str,
    /// The button of those who do not want to take part.
    pub(super) decline: &'static str,
    /// What is stored, in place of what people who come by an invitation read.
    pub(super) private: &'static str,
}

impl PanelTexts {
    /// Returns the texts for a language tag, by its primary subtag.
    pub(super) fn of(tag: &str) -> &'static Self {
        let primary = tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
        ALL.iter().find(|texts| texts.language == primary).unwrap_or(&ALL[0])
    }
}

static ALL: [PanelTexts; 4] = [
    PanelTexts {
        language: "en",
        direction: "ltr",
        done: "All done, thank you!",
        away: "There is nothing for you to do at the moment, thank you!",
        code: "You are sent back to your panel. If that does not happen, enter this code there:",
        back: "Back to the panel",
        decline: "I do not want to take part",
        private: "Your answers are stored with the id that your panel has given you, so that you can be paid.",
    },
    PanelTexts {
        language: "de",
        direction: "ltr",
        done: "Alles beantwortet, danke!",
        away: "Für Sie gibt es nichts zu tun, danke!",
        code: "Sie werden zu Ihrem Panel zurückgeleitet. Falls nicht, geben Sie dort diesen Code ein:",
        back: "Zurück zum Panel",
        decline: "Ich möchte nicht teilnehmen",
        private: "Ihre Antworten werden mit der Kennung gespeichert, die Ihr Panel Ihnen gegeben hat, damit Sie bezahlt werden können.",
    },
    PanelTexts {
        language: "fr",
        direction: "ltr",
        done: "C'est fini, merci !",
        away: "Il n'y a rien à faire pour vous, merci !",
        code: "Vous êtes redirigé vers votre panel. Sinon, saisissez-y ce code :",
        back: "Retour au panel",
        decline: "Je ne veux pas participer",
        private: "Vos réponses sont enregistrées avec l'identifiant que votre panel vous a donné, afin que vous puissiez être payé.",
    },
    PanelTexts {
        language: "ar",
        direction: "rtl",
        done: "انتهى كل شيء، شكرًا!",
        away: "لا يوجد ما تفعله الآن، شكرًا!",
        code: "ستُعاد إلى منصتك. إن لم يحدث ذلك فأدخل هذا الرمز هناك:",
        back: "العودة إلى المنصة",
        decline: "لا أريد المشاركة",
        private: "تُحفظ إجاباتك مع المعرّف الذي أعطتك إياه منصتك كي يُدفع لك.",
    },
];

#[cfg(test)]
mod tests {
    use super::super::translations::Texts;
    use super::PanelTexts;

    #[test]
    fn there_are_texts_in_every_language_of_the_worker_page() {
        for tag in ["en", "de-AT", "fr", "ar", "und"] {
            let (ours, theirs) = (PanelTexts::of(tag), Texts::of(tag));
            assert_eq!((ours.language, ours.direction), (theirs.language, theirs.direction));
        }
    }
}
