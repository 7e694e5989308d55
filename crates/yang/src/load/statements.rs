//! The statements of a YANG file, one after the other, as far as they have to be known before libyang
//! is given the file. What is not YANG gives what can be made of it: libyang says what is wrong.

/// One statement: its keyword, its argument and the line it starts in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Statement {
    pub(super) keyword: String,
    pub(super) argument: String,
    pub(super) line: usize,
}

/// Every statement of these kinds that has an argument, in the order of the text.
pub(super) fn statements<'a>(
    text: &'a str,
    keywords: &'a [&str],
) -> impl Iterator<Item = Statement> + use<'a> {
    let mut reader = Reader { rest: text, line: 1 };
    std::iter::from_fn(move || {
        loop {
            let Token::Word(keyword) = reader.token()? else { continue };
            let line = reader.line;
            let wanted = keywords.contains(&keyword);
            let argument = reader.argument(wanted);
            if let Some(argument) = argument.filter(|_| wanted) {
                return Some(Statement { keyword: keyword.to_owned(), argument, line });
            }
        }
    })
}

enum Token<'a> {
    Word(&'a str),
    /// What is between quotes, and which they are.
    Quoted(&'a str, char),
    /// `{`, `}` or `;`.
    Sign,
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Reader<'a> {
    fn skip(&mut self, length: usize) -> &'a str {
        let (passed, rest) = self.rest.split_at(length);
        self.line += passed.bytes().filter(|byte| *byte == b'\n').count();
        self.rest = rest;
        passed
    }

    /// Over white space and comments.
    fn blank(&mut self) {
        loop {
            let white = self.rest.len() - self.rest.trim_start().len();
            self.skip(white);
            let end = if self.rest.starts_with("//") {
                self.rest.find('\n')
            } else if let Some(comment) = self.rest.strip_prefix("/*") {
                comment.find("*/").map(|end| "/*".len() + end + "*/".len())
            } else {
                return;
            };
            self.skip(end.unwrap_or(self.rest.len()));
        }
    }

    fn token(&mut self) -> Option<Token<'a>> {
        self.blank();
        let first = self.rest.chars().next()?;
        match first {
            '{' | '}' | ';' => {
                self.skip(1);
                Some(Token::Sign)
            }
            '"' | '\'' => Some(Token::Quoted(self.quoted(first), first)),
            _ => {
                let ends = |c: char| c.is_whitespace() || matches!(c, '{' | '}' | ';' | '"' | '\'');
                let length = self.rest.find(ends).unwrap_or(self.rest.len());
                Some(Token::Word(self.skip(length)))
            }
        }
    }

    /// A string up to its closing quote. Only in double quotes there are escapes.
    fn quoted(&mut self, quote: char) -> &'a str {
        self.skip(1);
        let mut end = 0;
        let rest = self.rest;
        while let Some(found) = rest[end..].find([quote, '\\']) {
            end += found;
            let escape = rest[end..].starts_with('\\');
            if !escape {
                let text = self.skip(end);
                self.skip(1);
                return text;
            }
            // What is escaped may be of any width.
            let escaped = rest[end..].chars().nth(1).filter(|_| quote == '"');
            end += 1 + escaped.map_or(0, char::len_utf8);
        }
        self.skip(rest.len())
    }

    /// What follows a keyword, up to what ends the statement or opens its block; parts that are
    /// joined by `+` are one.
    fn argument(&mut self, wanted: bool) -> Option<String> {
        let mut argument: Option<String> = None;
        loop {
            let part = match self.token()? {
                Token::Sign => return argument,
                Token::Word("+") => continue,
                Token::Word(word) => word.to_owned(),
                Token::Quoted(text, '"') if wanted => unescaped(text),
                Token::Quoted(text, _) if wanted => text.to_owned(),
                Token::Quoted(..) => continue,
            };
            argument.get_or_insert_default().push_str(&part);
        }
    }
}

fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        plain.extend(match c {
            '\\' => rest.next().map(|escaped| match escaped {
                'n' => '\n',
                't' => '\t',
                other => other,
            }),
            other => Some(other),
        });
    }
    plain
}

#[cfg(test)]
mod tests {
    //! Statements as modules have them.

    use super::{Statement, statements};

    #[test]
    fn arguments_are_put_together() {
        let text = "module a { // x { y\n must \"a\\\"\" +\n 'b\\' /* ; */ + \"c\"; leaf b;\n}";
        let statement = |keyword: &str, argument: &str, line| Statement {
            keyword: keyword.to_owned(),
            argument: argument.to_owned(),
            line,
        };
        let expected = [
            statement("module", "a", 1),
            statement("must", "a\"b\\c", 2),
            statement("leaf", "b", 3),
        ];
        let found: Vec<Statement> = statements(text, &["module", "must", "leaf"]).collect();
        assert_eq!(found, expected);
    }

    /// The star that opens a comment does not close it.
    #[test]
    fn a_comment_has_two_ends() {
        let text = "/*/ \" */ must 'a'; /**/ must 'b'; /*/*/ must 'c';";
        let found: Vec<String> = statements(text, &["must"]).map(|found| found.argument).collect();
        assert_eq!(found, ["a", "b", "c"]);
    }

    #[test]
    fn what_is_not_yang_ends() {
        for text in
            ["", "\"", "must \"", "must 'a' +", "/*", "a b c", "{{{", "must 'x", "must \"\\"]
        {
            assert!(statements(text, &["must"]).count() < 2);
        }
    }
}
