//! What the worker's page says itself, in the campaign's language where it is one of these; the question is the owner's.

/// The words of one language.
pub(super) struct Words {
    pub(super) language: &'static str,
    pub(super) direction: &'static str,
    pub(super) yes: &'static str,
    pub(super) no: &'static str,
    pub(super) cant_say: &'static str,
    pub(super) undo: &'static str,
    pub(super) keys: &'static str,
    pub(super) progress: &'static str,
    pub(super) kept: &'static str,
    pub(super) welcome: &'static str,
    pub(super) agree: &'static str,
    pub(super) start: &'static str,
    pub(super) private: &'static str,
    pub(super) look_again: &'static str,
    pub(super) thanks: &'static str,
    /// A number comes behind it.
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

impl Words {
    /// The words for a language tag, by its first part; English for all others.
    pub(super) fn of(tag: &str) -> &'static Self {
        let first = tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
        ALL.iter().find(|words| words.language == first).unwrap_or(&ALL[0])
    }
}

static ALL: [Words; 4] = [
    Words {
        language: "en",
        direction: "ltr",
        yes: "Yes",
        no: "No",
        cant_say: "Can't say",
        undo: "Undo",
        keys: "Answer by keys: Y, N, S; Z undoes",
        progress: "Questions of this set",
        kept: "No connection. Your answer is kept and will be sent.",
        welcome: "You will be asked short questions. Answer by what you think; you may stop at any time.",
        agree: "By starting you agree to this.",
        start: "Start",
        private: "Your answers are kept under a random name in this browser. Nothing else about you is stored.",
        look_again: "Look again",
        thanks: "A set is complete. Thank you! Go on, or stop here.",
        answered: "Answered:",
        done: "All done, thank you!",
        nothing_left: "You have answered everything there is to ask at present.",
        wait: "One moment",
        handed_out: "Others are answering all that is open just now. Look again in a minute.",
        paused: "A pause",
        come_back: "No questions are asked for now. Your answers are safe; come back later.",
        over: "It is finished",
        enough: "No more answers are needed. Thank you for yours!",
    },
    Words {
        language: "de",
        direction: "ltr",
        yes: "Ja",
        no: "Nein",
        cant_say: "Weiß nicht",
        undo: "Zurücknehmen",
        keys: "Mit Tasten antworten: Y, N, S; Z nimmt zurück",
        progress: "Fragen dieser Runde",
        kept: "Keine Verbindung. Ihre Antwort ist aufgehoben und wird gesendet.",
        welcome: "Sie bekommen kurze Fragen. Antworten Sie, wie Sie es sehen; Sie können jederzeit aufhören.",
        agree: "Wer beginnt, stimmt dem zu.",
        start: "Beginnen",
        private: "Ihre Antworten stehen unter einem zufälligen Namen in diesem Browser. Sonst wird nichts über Sie gespeichert.",
        look_again: "Noch einmal nachsehen",
        thanks: "Eine Runde ist fertig. Danke! Machen Sie weiter, oder hören Sie hier auf.",
        answered: "Beantwortet:",
        done: "Alles beantwortet, danke!",
        nothing_left: "Sie haben alles beantwortet, was es zurzeit zu fragen gibt.",
        wait: "Einen Augenblick",
        handed_out: "Gerade beantworten andere alles, was offen ist. Sehen Sie in einer Minute wieder nach.",
        paused: "Pause",
        come_back: "Zurzeit werden keine Fragen gestellt. Ihre Antworten sind sicher; kommen Sie später wieder.",
        over: "Es ist fertig",
        enough: "Weitere Antworten werden nicht gebraucht. Danke für Ihre!",
    },
    Words {
        language: "fr",
        direction: "ltr",
        yes: "Oui",
        no: "Non",
        cant_say: "Je ne sais pas",
        undo: "Annuler",
        keys: "Répondre au clavier : Y, N, S ; Z annule",
        progress: "Questions de cette série",
        kept: "Pas de connexion. Votre réponse est gardée et sera envoyée.",
        welcome: "On vous posera de courtes questions. Répondez selon votre avis ; vous pouvez arrêter à tout moment.",
        agree: "En commençant, vous acceptez ceci.",
        start: "Commencer",
        private: "Vos réponses sont gardées sous un nom aléatoire dans ce navigateur. Rien d'autre n'est enregistré sur vous.",
        look_again: "Regarder à nouveau",
        thanks: "Une série est terminée. Merci ! Continuez, ou arrêtez-vous ici.",
        answered: "Réponses :",
        done: "C'est fini, merci !",
        nothing_left: "Vous avez répondu à tout ce qu'il y a à demander pour le moment.",
        wait: "Un instant",
        handed_out: "D'autres répondent à tout ce qui reste. Regardez à nouveau dans une minute.",
        paused: "Une pause",
        come_back: "Aucune question pour le moment. Vos réponses sont en sécurité ; revenez plus tard.",
        over: "C'est terminé",
        enough: "Plus aucune réponse n'est nécessaire. Merci pour les vôtres !",
    },
    Words {
        language: "ar",
        direction: "rtl",
        yes: "نعم",
        no: "لا",
        cant_say: "لا أعرف",
        undo: "تراجع",
        keys: "الإجابة بالمفاتيح: Y وN وS، وZ للتراجع",
        progress: "أسئلة هذه المجموعة",
        kept: "لا يوجد اتصال. إجابتك محفوظة وسترسل.",
        welcome: "ستُطرح عليك أسئلة قصيرة. أجب برأيك، ويمكنك التوقف متى شئت.",
        agree: "بالبدء فإنك توافق على هذا.",
        start: "ابدأ",
        private: "تُحفظ إجاباتك باسم عشوائي في هذا المتصفح، ولا يُحفظ شيء آخر عنك.",
        look_again: "انظر مرة أخرى",
        thanks: "اكتملت مجموعة. شكرًا! واصل أو توقف هنا.",
        answered: "الإجابات:",
        done: "انتهى كل شيء، شكرًا!",
        nothing_left: "لقد أجبت عن كل ما يمكن سؤاله حاليًا.",
        wait: "لحظة",
        handed_out: "آخرون يجيبون الآن عن كل ما تبقى. انظر مرة أخرى بعد دقيقة.",
        paused: "استراحة",
        come_back: "لا تُطرح أسئلة الآن. إجاباتك محفوظة، عد لاحقًا.",
        over: "انتهى العمل",
        enough: "لا حاجة إلى مزيد من الإجابات. شكرًا لإجاباتك!",
    },
];

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn a_language_is_found_by_its_first_part() {
        let found = ["de-AT", "AR", "und", "ja", ""].map(|tag| Words::of(tag).language);
        assert_eq!(found, ["de", "ar", "en", "en", "en"]);
    }
}
