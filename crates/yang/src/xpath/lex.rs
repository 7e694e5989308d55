//! Text into tokens.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Number,
    Literal(String),
    /// A name, with its prefix if it has one; `*` as a name.
    Name(Option<String>, String),
    /// Operators, brackets, `.`, `..`, `::`, `@`, `,`; also `and`, `or`, `div`, `mod` and `*` where
    /// they are operators.
    Sign(&'static str),
}

/// Longer ones first.
const SIGNS: [&str; 21] = [
    "::", "//", "..", "!=", "<=", ">=", "(", ")", "[", "]", "@", ",", "/", "|", "+", "-", "=", "<",
    ">", ".", "$",
];
const WORDS: [&str; 4] = ["and", "or", "div", "mod"];

/// The tokens of an expression; none if there is a character that XPath does not know.
pub(super) fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (token, after) = token(rest, operand_before(tokens.last()))?;
        tokens.push(token);
        rest = after.trim_start();
    }
    Some(tokens)
}

/// Whether what comes next is an operator if it can be one, as section 3.7 of XPath has it.
fn operand_before(last: Option<&Token>) -> bool {
    match last {
        None => false,
        Some(Token::Sign(sign)) => matches!(*sign, ")" | "]" | "." | ".."),
        Some(_) => true,
    }
}

fn token(text: &str, operand_before: bool) -> Option<(Token, &str)> {
    let first = text.chars().next()?;
    if matches!(first, '"' | '\'') {
        let (literal, rest) = text[1..].split_once(first)?;
        return Some((Token::Literal(literal.to_owned()), rest));
    }
    let digits =
        text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
    if text[..digits].contains(|c: char| c.is_ascii_digit()) {
        return Some((Token::Number, &text[digits..]));
    }
    if let Some(rest) = text.strip_prefix('*') {
        let name = Token::Name(None, "*".to_owned());
        return Some((if operand_before { Token::Sign("*") } else { name }, rest));
    }
    if let Some(sign) = SIGNS.into_iter().find(|sign| text.starts_with(sign)) {
        return Some((Token::Sign(sign), &text[sign.len()..]));
    }
    name(text, operand_before)
}

fn name(text: &str, operand_before: bool) -> Option<(Token, &str)> {
    let (first, rest) = ncname(text)?;
    if operand_before && let Some(word) = WORDS.into_iter().find(|word| *word == first) {
        return Some((Token::Sign(word), rest));
    }
    let qualified = rest.strip_prefix(':').filter(|after| !after.starts_with(':'));
    let Some(after) = qualified else {
        return Some((Token::Name(None, first.to_owned()), rest));
    };
    let (second, rest) = match after.strip_prefix('*') {
        Some(rest) => ("*", rest),
        None => ncname(after)?,
    };
    Some((Token::Name(Some(first.to_owned()), second.to_owned()), rest))
}

fn ncname(text: &str) -> Option<(&str, &str)> {
    let starts = text.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')));
    starts.then(|| text.split_at(end.unwrap_or(text.len())))
}
