//! English nouns: which take an article, which article, and which are plural.
//!
//! A noun is judged by its head, the last word before a preposition: "olive oil" is oil, "glass of water" a glass. What no rule can know,
//! the owner says for each concept.

use std::collections::HashSet;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// How a name behaves in a sentence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Number {
    /// One thing, with "a" or "an".
    Count(&'static str),
    /// No article, and "is": a mass, a proper name, a phrase with an article of its own.
    Bare,
    /// No article, and "are".
    Plural,
}

/// Judges a name. Where most names of a list begin with a capital, a capital does not mark a proper name.
pub(super) fn judge(name: &str, capitals_are_usual: bool) -> Number {
    let plain: String = name.nfd().filter(|c| !is_combining_mark(*c)).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let is_latin =
        |c: char| c.is_ascii_alphanumeric() || "æœøłðþßı".contains(c.to_lowercase().next().unwrap_or(c));
    let Some(first) = plain.chars().find(|c| c.is_alphanumeric()).filter(|&c| is_latin(c)) else {
        return Number::Bare;
    };
    let head = head(&words);
    if words.len() > 1 && is_determiner(words[0]) {
        return if is_plural(&head) { Number::Plural } else { Number::Bare };
    }
    if first.is_uppercase() && !capitals_are_usual && is_proper(&words) {
        return Number::Bare;
    }
    if words.iter().any(|word| ["and", "&", "or"].contains(&word.to_lowercase().as_str())) {
        return if is_plural(&head) { Number::Plural } else { Number::Bare };
    }
    // "physics" and "news" end like plurals.
    if is_mass(&head) {
        Number::Bare
    } else if is_plural(&head) {
        Number::Plural
    } else {
        Number::Count(indefinite(&plain))
    }
}

/// The last word before a bracket, a comma or a preposition, in lower case and without what surrounds it.
fn head(words: &[&str]) -> String {
    const PREPOSITIONS: [&str; 17] = [
        "of", "for", "with", "without", "in", "on", "at", "to", "from", "by", "under", "over", "about", "as",
        "de", "per", "against",
    ];
    let ends = |at: usize| {
        at > 0
            && (words[at].starts_with(['(', '[', '/', '–', '—'])
                || words[at - 1].ends_with([',', ';', ':'])
                || at + 1 < words.len() && PREPOSITIONS.contains(&words[at].to_lowercase().as_str()))
    };
    let end = (0..words.len()).find(|&at| ends(at)).unwrap_or(words.len());
    let last = end.checked_sub(1).map_or("", |at| words[at]);
    // Of "jack-in-the-box" and "T-shirt" the part after the hyphen decides, as far as it is a word.
    let last = last.rsplit('-').next().unwrap_or(last);
    last.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

fn is_determiner(word: &str) -> bool {
    const DETERMINERS: [&str; 18] = [
        "a", "an", "the", "my", "your", "his", "her", "its", "our", "their", "some", "any", "all", "this",
        "that", "these", "those", "no",
    ];
    DETERMINERS.contains(&word.to_lowercase().as_str())
}

/// A proper name: every word begins with a capital, but for those that join names. "Mozart" and "Mount Everest" are, "Persian cat", "DVD" and "T-shirt"
/// are not.
fn is_proper(words: &[&str]) -> bool {
    let letters = |word: &str| word.chars().filter(|c| c.is_alphabetic()).collect::<String>();
    let is_abbreviation =
        |word: &str| letters(word).chars().count() > 1 && letters(word).chars().all(char::is_uppercase);
    let begins_with_a_letter = |word: &str| {
        let parts = word.split_once('-');
        parts
            .is_some_and(|(letter, rest)| letter.chars().count() == 1 && rest.starts_with(char::is_lowercase))
    };
    let is_name = |word: &&str| {
        let joins = [
            "of", "the", "and", "de", "da", "di", "du", "del", "la", "le", "von", "van", "der", "den", "al",
            "el",
        ];
        joins.contains(word) || letters(word).starts_with(char::is_uppercase)
    };
    words.iter().all(is_name) && !words.iter().any(|word| is_abbreviation(word) || begins_with_a_letter(word))
}

/// Whether a word, in lower case, is a plural.
fn is_plural(word: &str) -> bool {
    if contains(PLURALS, word) || word.ends_with("children") {
        return true;
    }
    let men = word.ends_with("men") && !contains(SINGULARS_IN_MEN, word);
    let singular_s =
        ["ss", "us", "is"].iter().any(|end| word.ends_with(end)) || contains(SINGULARS_IN_S, word);
    // "bus" and "gas" and every other word of three letters.
    men || word.ends_with('s') && word.len() > 3 && !singular_s
}

/// Whether a word, in lower case, is the name of a mass.
fn is_mass(word: &str) -> bool {
    let by_ending = word.ends_with("ware")
        || word.ends_with("wear")
        || word.ends_with("ness") && !contains(COUNTED_IN_NESS, word)
        || word.ends_with("ology") && !contains(COUNTED_IN_OLOGY, word)
        || word.ends_with("graphy") && !contains(COUNTED_IN_GRAPHY, word);
    by_ending || MASSES.contains(word)
}

fn contains(list: &str, word: &str) -> bool {
    !word.is_empty() && list.split_ascii_whitespace().any(|known| known == word)
}

/// "a" or "an", by the sound: the rules of Damian Conway's `Lingua::EN::Inflect` ("An algorithmic approach to English pluralization", 1998).
/// Sounds are guessed from spelling, so some abbreviations come out wrong.
fn indefinite(name: &str) -> &'static str {
    let name = name.trim_start_matches(|c: char| !c.is_alphanumeric());
    let word = name.split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
    let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
    let lower = word.to_lowercase();
    if lower.starts_with(|c: char| c.is_ascii_digit()) {
        return if is_an_number(&lower) { "an" } else { "a" };
    }
    let letters: Vec<char> = lower.chars().collect();
    let at = |index: usize| letters.get(index).copied().unwrap_or(' ');
    let is_vowel = |c: char| "aeiouæœøı".contains(c);
    let begins = |with: &[&str]| with.iter().any(|start| lower.starts_with(start));
    // A single letter, alone or before a hyphen or a full stop, is read by its name: an X-ray, a T-shirt, an e-book.
    if matches!(at(1), ' ' | '-' | '.' | '\'') {
        return if "aefhilmnorsx".contains(at(0)) { "an" } else { "a" };
    }
    let spelt_out = word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase());
    if spelt_out {
        return if is_an_abbreviation(word) { "an" } else { "a" };
    }
    let silent_h = begins(&["hour", "heir", "honest", "honor", "honour"]) && !begins(&["houri"]);
    if silent_h || begins(&["euler"]) {
        return "an";
    }
    if !is_vowel(at(0)) {
        let sounded_y = begins(&[
            "ybl", "ybo", "ybr", "ycle", "ycla", "yfere", "ygg", "ypi", "ypo", "yps", "yrou", "ytt",
        ]);
        return if sounded_y { "an" } else { "a" };
    }
    // These vowels sound like "yoo" or "wun".
    let uni = begins(&["uni"]) && (!matches!(at(3), 'n' | 'm' | 'd') || begins(&["unimo"]));
    let you = at(0) == 'u' && "bcfhjkqrst".contains(at(1)) && is_vowel(at(2));
    let wun = begins(&["ouija"]) || lower == "one" || begins(&["one-", "once", "oneself"]);
    if begins(&["eu", "ew"]) || uni || you || wun { "a" } else { "an" }
}

/// Eight, eleven and eighteen, and whatever begins with them when it is read: 8-track, 11-a-side, 80, 18,000.
fn is_an_number(word: &str) -> bool {
    let digits: String = word.chars().take_while(|c| c.is_ascii_digit()).collect();
    digits.starts_with('8')
        || ["11", "18"].iter().any(|start| digits.starts_with(start)) && digits.len() % 3 == 2
}

/// Whether an abbreviation is spelt out and begins with a letter whose name begins with a vowel: an HTML page, an MRI; but a RAM, a SIM,
/// which can be read as words.
fn is_an_abbreviation(word: &str) -> bool {
    const SPELT_OUT: [&str; 4] = ["SUV", "LED", "FAQ", "SOS"];
    let letters: Vec<char> = word.chars().collect();
    let at = |index: usize| letters.get(index).copied().unwrap_or(' ');
    let is_vowel = |c: char| "AEIOU".contains(c);
    match at(0) {
        'A' | 'E' | 'I' | 'O' => true,
        'F' | 'H' | 'L' | 'M' | 'N' | 'R' | 'S' | 'X' => {
            let cluster = matches!(
                (at(0), at(1)),
                ('F', 'L' | 'R')
                    | ('M', 'N')
                    | ('R', 'H')
                    | ('S', 'C' | 'H' | 'K' | 'L' | 'M' | 'N' | 'P' | 'T' | 'V' | 'W')
            );
            let read_as_word = is_vowel(at(1)) || cluster && is_vowel(at(2)) || word.starts_with("SQU");
            !read_as_word || SPELT_OUT.contains(&word)
        }
        _ => false,
    }
}

/// Plurals that do not end in s.
const PLURALS: &str = "\
    people men women children oxen mice lice geese teeth feet dice cattle police bacteria algae larvae fungi \
    cacti nuclei vertebrae antennae phenomena criteria media data genera";

/// Words in -men that are one thing.
const SINGULARS_IN_MEN: &str = "\
    specimen regimen omen abdomen acumen stamen semen hymen lumen cyclamen dolmen ramen yemen amen";

/// Words in s that are one thing, beyond those in -ss, -us and -is.
const SINGULARS_IN_S: &str = "\
    bias alias atlas canvas pancreas christmas lens iris gas bus plus summons chaos cosmos asbestos \
    rhinoceros albatross thermos mattress kudos pathos ethos logos calvados hummus couscous texas mars venus \
    paris cyclops biceps triceps quadriceps series species";

/// Words in -ness, -ology and -graphy that can be counted.
const COUNTED_IN_NESS: &str = "\
    harness witness business illness sickness weakness wilderness lioness baroness governess patroness";
const COUNTED_IN_OLOGY: &str = "\
    technology ideology apology anthology mythology chronology terminology typology";
const COUNTED_IN_GRAPHY: &str = "\
    biography autobiography bibliography discography filmography";

/// Names of masses, and of what else has no article: activities, sciences, games, diseases, meals.
static MASSES: LazyLock<HashSet<&str>> = LazyLock::new(|| LIST_OF_MASSES.split_ascii_whitespace().collect());
const LIST_OF_MASSES: &str = "\
    food fruit water milk cream butter margarine cheese brie camembert cheddar feta gouda mozzarella parmesan ricotta yogurt yoghurt curd tofu bread toast dough flour \
    bran wheat rye barley oatmeal rice pasta spaghetti macaroni lasagna lasagne couscous quinoa corn maize \
    granola muesli sugar salt pepper honey syrup treacle molasses jam marmalade chocolate cocoa caramel \
    fudge confectionery toffee nougat marzipan icing ice gelatin gelatine meat beef veal pork mutton venison \
    ham bacon poultry gammon salami chorizo pastrami mince seafood caviar tuna cod oil fat lard grease \
    vinegar mustard ketchup mayonnaise pesto gravy salsa guacamole hummus broth porridge spinach broccoli \
    cauliflower lettuce celery cabbage kale asparagus garlic ginger parsley basil oregano thyme rosemary \
    sage mint dill coriander cilantro cumin cinnamon nutmeg saffron turmeric paprika vanilla rhubarb okra \
    fennel chard arugula watercress seaweed tea coffee juice lemonade soda wine beer ale lager cider whisky \
    whiskey brandy rum gin vodka tequila champagne prosecco sherry vermouth liquor alcohol booze mead sake \
    kombucha kefir buttermilk espresso wood timber lumber plywood bamboo cork metal gold silver iron steel \
    copper brass bronze tin zinc aluminium aluminum titanium platinum mercury uranium nickel chrome plastic \
    rubber nylon polyester acrylic vinyl silicone cotton wool silk linen denim velvet satin leather suede \
    fur felt fleece lace cashmere tweed paper cardboard parchment ink paint varnish glue wax soap shampoo \
    detergent bleach perfume toothpaste makeup mascara sand gravel clay mud soil earth dirt dust ash cement \
    concrete asphalt tarmac plaster marble granite limestone chalk coal petrol gasoline diesel kerosene fuel \
    gas oxygen nitrogen hydrogen helium carbon sulfur sulphur chlorine phosphorus calcium sodium potassium \
    magnesium silicon electricity steam smoke air fog mist rain snow hail sleet thunder lightning sunshine \
    weather blood skin hair tissue saliva sweat urine cartilage furniture clothing headgear jewelry \
    jewellery luggage baggage equipment gear machinery cutlery crockery silverware stationery bedding upholstery carpeting \
    lighting plumbing packaging garbage rubbish trash waste litter junk rubble scrap mail money cash wealth \
    transport transportation traffic parking accommodation housing infrastructure music art poetry prose \
    fiction nonfiction literature jazz blues rap reggae techno ballet photography sculpture architecture \
    pottery weaving knitting sewing embroidery cooking baking gardening carpentry swimming running jogging \
    walking hiking climbing cycling skiing skating surfing sailing rowing boxing wrestling fencing archery \
    fishing hunting riding diving football soccer rugby baseball basketball volleyball handball netball \
    softball hockey golf tennis badminton judo karate yoga pilates gymnastics athletics chess poker bingo \
    snooker darts billiards physics chemistry biology mathematics maths algebra geometry calculus arithmetic \
    statistics economics history philosophy law medicine nursing surgery engineering education research \
    science knowledge information evidence advice news feedback help software hardware spam broadband \
    bandwidth storage love hate anger joy happiness sadness grief courage patience honesty justice freedom \
    peace violence fun luck health safety energy heat noise gravity matter behaviour behavior cancer malaria \
    influenza flu pneumonia tuberculosis asthma diabetes cholera measles mumps rabies leprosy obesity \
    anxiety depression grass hay straw moss ivy foliage vegetation wildlife livestock plankton krill mould \
    mold breakfast lunch dinner supper homework housework work labour labor leisure travel tourism \
    advertising marketing banking insurance finance";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_follow_the_sound() {
        for (name, article) in [
            ("saxophone", "a"),
            ("orange", "an"),
            ("hour", "an"),
            ("unicorn", "a"),
            ("apple", "an"),
            ("uniform", "a"),
            ("umbrella", "an"),
            ("university", "a"),
            ("utensil", "a"),
            ("ukulele", "a"),
            ("urn", "an"),
            ("usher", "an"),
            ("euro", "a"),
            ("ewe", "a"),
            ("eel", "an"),
            ("heir", "an"),
            ("heirloom", "an"),
            ("hotel", "a"),
            ("house", "a"),
            ("one-way street", "a"),
            ("onion", "an"),
            ("X-ray", "an"),
            ("x-ray", "an"),
            ("T-shirt", "a"),
            ("U-boat", "a"),
            ("e-book", "an"),
            ("SUV", "an"),
            ("HTML page", "an"),
            ("MRI scanner", "an"),
            ("DVD player", "a"),
            ("USB cable", "a"),
            ("SIM card", "a"),
            ("RAM module", "a"),
            ("UFO", "a"),
            ("8-track tape", "an"),
            ("11-sided die", "an"),
            ("100-metre race", "a"),
            ("18-wheeler", "an"),
            ("1-up", "a"),
            ("éclair", "an"),
            ("œuvre", "an"),
            ("yacht", "a"),
            ("unidentified object", "an"),
            ("undershirt", "an"),
            ("iPhone", "an"),
            ("\"open\" sign", "an"),
            ("oboe", "an"),
            ("ouija board", "a"),
            ("yttrium lamp", "an"),
            ("Euler angle", "an"),
        ] {
            assert_eq!(
                indefinite(&name.nfd().filter(|c| !is_combining_mark(*c)).collect::<String>()),
                article,
                "{name}"
            );
        }
    }

    #[test]
    fn plurals_masses_and_names_take_none() {
        use Number::{Bare, Plural};
        for (name, number) in [
            ("trousers", Plural),
            ("glasses", Plural),
            ("French fries", Plural),
            ("fruits and vegetables", Plural),
            ("women", Plural),
            ("stringed instruments", Plural),
            ("children", Plural),
            ("mice", Plural),
            ("shoes for women", Plural),
            ("tennis shoes (used)", Plural),
            ("water", Bare),
            ("news", Bare),
            ("darts", Bare),
            ("tennis balls", Plural),
            ("olive oil", Bare),
            ("salt and pepper", Bare),
            ("glassware", Bare),
            ("headwear", Bare),
            ("clothing", Bare),
            ("biology", Bare),
            ("tennis", Bare),
            ("goat's cheese", Bare),
            ("Mozart", Bare),
            ("Mount Everest", Bare),
            ("New York", Bare),
            ("the Moon", Bare),
            ("日本", Bare),
            ("лимон", Bare),
            ("chess", Bare),
            ("", Bare),
            ("Orange juice", Bare),
            ("glass of water", Number::Count("a")),
            ("bus", Number::Count("a")),
            ("glass", Number::Count("a")),
            ("octopus", Number::Count("an")),
            ("iris", Number::Count("an")),
            ("rice cooker", Number::Count("a")),
            ("Persian cat", Number::Count("a")),
            ("specimen", Number::Count("a")),
            ("technology", Number::Count("a")),
            ("harness", Number::Count("a")),
            ("atlas", Number::Count("an")),
            ("gas", Bare),
            ("orange (fruit)", Number::Count("an")),
            ("DVD", Number::Count("a")),
            ("T-shirt", Number::Count("a")),
            ("X-ray", Number::Count("an")),
            ("Coca-Cola", Bare),
            ("pair of trousers", Number::Count("a")),
        ] {
            assert_eq!(judge(name, false), number, "{name}");
        }
    }

    #[test]
    fn capitals_mark_a_proper_name_unless_they_are_usual() {
        assert_eq!(judge("Orange", true), Number::Count("an"));
        assert_eq!(judge("Orange", false), Number::Bare);
        assert_eq!(judge("Olive Oil", true), Number::Bare);
    }
}
