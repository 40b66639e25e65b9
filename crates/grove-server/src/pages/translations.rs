//! The texts of the worker page. They are in the language of the campaign if it is one of these, else in English; the question itself is
//! the owner's.

/// The texts in one language.
pub(super) struct Texts {
    pub(super) language: &'static str,
    pub(super) direction: &'static str,
    pub(super) yes: &'static str,
    pub(super) no: &'static str,
    pub(super) not_sure: &'static str,
    pub(super) undo: &'static str,
    pub(super) keys: &'static str,
    pub(super) progress: &'static str,
    pub(super) kept: &'static str,
    pub(super) welcome: &'static str,
    pub(super) agree: &'static str,
    pub(super) start: &'static str,
    pub(super) private: &'static str,
    pub(super) check_again: &'static str,
    /// `{}` stands for the number of answers in a set.
    pub(super) thanks: &'static str,
    /// A number follows.
    pub(super) answered: &'static str,
    pub(super) done: &'static str,
    pub(super) nothing_left: &'static str,
    pub(super) wait: &'static str,
    pub(super) handed_out: &'static str,
    pub(super) paused: &'static str,
    pub(super) come_back: &'static str,
    pub(super) over: &'static str,
    pub(super) enough: &'static str,
}

impl Texts {
    /// Returns the texts for a language tag, by its primary subtag.
    pub(super) fn of(tag: &str) -> &'static Self {
        let primary = tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
        ALL.iter().find(|texts| texts.language == primary).unwrap_or(&ALL[0])
    }
}

static ALL: [Texts; 4] = [
    Texts {
        language: "en",
        direction: "ltr",
        yes: "Yes",
        no: "No",
        not_sure: "Not sure",
        undo: "Undo",
        keys: "Keyboard shortcuts: Y, N, S; Z to undo",
        progress: "Questions in this set",
        kept: "No connection. Your answer is saved and will be sent.",
        welcome: "You will be asked short questions. Go with your own judgement; you can stop at any time.",
        agree: "By starting you agree to this.",
        start: "Start",
        private: "Your answers are stored under a random name that this browser remembers. Nothing else about you is stored.",
        check_again: "Check again",
        thanks: "{} done, thanks! Carry on, or stop whenever you like.",
        answered: "Answered:",
        done: "All done, thank you!",
        nothing_left: "You have answered all questions there are at the moment.",
        wait: "One moment",
        handed_out: "Other people are answering all open questions. Check again in a minute.",
        paused: "Paused",
        come_back: "There are no questions for now. Your answers are saved; come back later.",
        over: "This study has ended",
        enough: "No more answers are needed. Thank you for yours!",
    },
    Texts {
        language: "de",
        direction: "ltr",
        yes: "Ja",
        no: "Nein",
        not_sure: "Nicht sicher",
        undo: "Rückgängig",
        keys: "Tastenkürzel: Y, N, S; Z macht rückgängig",
        progress: "Fragen dieser Runde",
        kept: "Keine Verbindung. Ihre Antwort ist gespeichert und wird gesendet.",
        welcome: "Sie bekommen kurze Fragen. Antworten Sie nach Ihrem eigenen Urteil; Sie können jederzeit aufhören.",
        agree: "Mit dem Start stimmen Sie dem zu.",
        start: "Starten",
        private: "Ihre Antworten werden unter einem zufälligen Namen gespeichert, den sich dieser Browser merkt. Sonst wird nichts über Sie gespeichert.",
        check_again: "Erneut prüfen",
        thanks: "{} geschafft, danke! Machen Sie weiter, oder hören Sie auf, wann Sie möchten.",
        answered: "Beantwortet:",
        done: "Alles beantwortet, danke!",
        nothing_left: "Sie haben alle Fragen beantwortet, die es zurzeit gibt.",
        wait: "Einen Augenblick",
        handed_out: "Gerade beantworten andere alle offenen Fragen. Schauen Sie in einer Minute wieder vorbei.",
        paused: "Pausiert",
        come_back: "Zurzeit gibt es keine Fragen. Ihre Antworten sind gespeichert; kommen Sie später wieder.",
        over: "Diese Studie ist beendet",
        enough: "Weitere Antworten werden nicht gebraucht. Danke für Ihre!",
    },
    Texts {
        language: "fr",
        direction: "ltr",
        yes: "Oui",
        no: "Non",
        not_sure: "Pas sûr",
        undo: "Annuler",
        keys: "Raccourcis clavier : Y, N, S ; Z annule",
        progress: "Questions de cette série",
        kept: "Pas de connexion. Votre réponse est enregistrée et sera envoyée.",
        welcome: "On vous posera de courtes questions. Répondez selon votre avis ; vous pouvez arrêter à tout moment.",
        agree: "En commençant, vous acceptez ceci.",
        start: "Commencer",
        private: "Vos réponses sont enregistrées sous un nom aléatoire que ce navigateur retient. Rien d'autre n'est enregistré sur vous.",
        check_again: "Vérifier à nouveau",
        thanks: "{} réponses, merci ! Continuez, ou arrêtez quand vous voulez.",
        answered: "Réponses :",
        done: "C'est fini, merci !",
        nothing_left: "Vous avez répondu à toutes les questions du moment.",
        wait: "Un instant",
        handed_out: "D'autres personnes répondent aux questions restantes. Revenez dans une minute.",
        paused: "En pause",
        come_back: "Aucune question pour le moment. Vos réponses sont enregistrées ; revenez plus tard.",
        over: "Cette étude est terminée",
        enough: "Plus aucune réponse n'est nécessaire. Merci pour les vôtres !",
    },
    Texts {
        language: "ar",
        direction: "rtl",
        yes: "نعم",
        no: "لا",
        not_sure: "لست متأكدًا",
        undo: "تراجع",
        keys: "الإجابة بالمفاتيح: Y وN وS، وZ للتراجع",
        progress: "أسئلة هذه المجموعة",
        kept: "لا يوجد اتصال. إجابتك محفوظة وسترسل.",
        welcome: "ستُطرح عليك أسئلة قصيرة. أجب برأيك، ويمكنك التوقف متى شئت.",
        agree: "بالبدء فإنك توافق على هذا.",
        start: "ابدأ",
        private: "تُحفظ إجاباتك باسم عشوائي في هذا المتصفح، ولا يُحفظ شيء آخر عنك.",
        check_again: "تحقق مرة أخرى",
        thanks: "أجبت عن {}، شكرًا! واصل أو توقف متى شئت.",
        answered: "الإجابات:",
        done: "انتهى كل شيء، شكرًا!",
        nothing_left: "لقد أجبت عن كل ما يمكن سؤاله حاليًا.",
        wait: "لحظة",
        handed_out: "آخرون يجيبون الآن عن كل ما تبقى. تحقق مرة أخرى بعد دقيقة.",
        paused: "متوقف مؤقتًا",
        come_back: "لا تُطرح أسئلة الآن. إجاباتك محفوظة، عد لاحقًا.",
        over: "انتهت هذه الدراسة",
        enough: "لا حاجة إلى مزيد من الإجابات. شكرًا لإجاباتك!",
    },
];

#[cfg(test)]
mod tests {
    use super::Texts;

    #[test]
    fn a_language_is_found_by_its_primary_subtag() {
        let found = ["de-AT", "AR", "und", "ja", ""].map(|tag| Texts::of(tag).language);
        assert_eq!(found, ["de", "ar", "en", "en", "en"]);
    }
}
