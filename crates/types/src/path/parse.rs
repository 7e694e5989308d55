//! Reading the text form of a path.

use std::str::FromStr;

use super::{Element, Error, Expected, Found, Keys, Path};

/// Reads gNMI's text form. The leading `/` may be left out; `/` and the empty text are the root.
///
/// A backslash takes away the meaning of the punctuation after it: `\/`, `\[` and `\\` in names,
/// `\]` and `\\` in the values of keys, `\=` in their names. `\n`, `\r` and `\u` with four
/// hexadecimal digits (or `\U`, the same) stand for the character they name. Everything else is
/// itself, so the value of a key may hold `/`, `=`, `[` and spaces as they are, or be empty. `*` and
/// `...` are read as the wildcards they are.
impl FromStr for Path {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let mut elements = Vec::new();
        Elements::new(text).read(|element, _| elements.push(element))?;
        Ok(Self::new(elements))
    }
}

/// Reads the elements of a text, or of the end of one.
pub(super) struct Elements<'a> {
    reader: Reader<'a>,
    /// Something stands before what is read.
    continued: bool,
}

impl<'a> Elements<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let reader = Reader { rest: text, position: 1, offset: 0 };
        Self { reader, continued: false }
    }

    /// What follows the elements that end at this byte.
    pub(super) fn after(text: &'a str, end: usize) -> Self {
        let (before, rest) = text.split_at(end);
        let position = before.chars().count() + 1;
        let reader = Reader { rest, position, offset: end };
        Self { reader, continued: end > 0 }
    }

    /// Reads to the end. Each element comes with the byte at which it ends.
    pub(super) fn read(self, mut take: impl FnMut(Element, usize)) -> Result<(), Error> {
        let Self { mut reader, continued } = self;
        let mut many = false;
        if !continued {
            reader.take('/');
        }
        let mut first = !continued;
        while !reader.rest.is_empty() {
            if !first {
                reader.separator(many)?;
            }
            first = false;
            let element = reader.element()?;
            many = element.is_many();
            take(element, reader.offset);
        }
        Ok(())
    }
}

struct Reader<'a> {
    rest: &'a str,
    /// Of the next character, from 1.
    position: usize,
    /// The same in bytes, from 0.
    offset: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn skip(&mut self, bytes: usize, characters: usize) {
        self.rest = &self.rest[bytes..];
        self.offset += bytes;
        self.position += characters;
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.skip(next.len_utf8(), 1);
        Some(next)
    }

    fn take(&mut self, wanted: char) -> bool {
        let there = self.peek() == Some(wanted);
        if there {
            self.next();
        }
        there
    }

    /// What stands next is not what could.
    fn unexpected(&mut self, expected: Expected) -> Error {
        let found = self.peek().map_or(Found::End, Found::Character);
        Error::Syntax { position: self.position, found, expected }
    }

    fn separator(&mut self, many: bool) -> Result<(), Error> {
        if self.take('/') {
            return Ok(());
        }
        Err(self.unexpected(if many { Expected::NextElement } else { Expected::Next }))
    }

    fn element(&mut self) -> Result<Element, Error> {
        let name = self.text(&['/', '['])?;
        let Ok(element) = Element::new(name) else {
            return Err(self.unexpected(Expected::Name));
        };
        if element.is_many() {
            return Ok(element);
        }
        let mut keys = Keys::new();
        while self.peek() == Some('[') {
            self.key(&mut keys)?;
        }
        Ok(element.with_keys(keys))
    }

    fn key(&mut self, keys: &mut Keys) -> Result<(), Error> {
        self.next();
        let position = self.position;
        let key = self.text(&['=', ']'])?;
        if key.is_empty() {
            return Err(self.unexpected(Expected::KeyName));
        }
        if !self.take('=') {
            return Err(self.unexpected(Expected::Equals));
        }
        let value = self.text(&[']'])?;
        if !self.take(']') {
            return Err(self.unexpected(Expected::KeyEnd));
        }
        if keys.contains_key(&key) {
            return Err(Error::DuplicateKey { position, key });
        }
        // Put together anew, so that it takes no more room than it needs: there are many of these.
        *keys = std::mem::take(keys).into_iter().chain([(key, value)]).collect();
        Ok(())
    }

    /// Everything up to the end, or to one of these characters where it is not escaped.
    fn text(&mut self, stops: &[char]) -> Result<String, Error> {
        let mut text = String::new();
        loop {
            let stops = |character: char| character == '\\' || stops.contains(&character);
            let plain = self.rest.find(stops).unwrap_or(self.rest.len());
            text.push_str(&self.rest[..plain]);
            self.skip(plain, self.rest[..plain].chars().count());
            if !self.take('\\') {
                return Ok(text);
            }
            text.push(self.escaped()?);
        }
    }

    fn escaped(&mut self) -> Result<char, Error> {
        let character = match self.peek() {
            Some('n') => '\n',
            Some('r') => '\r',
            Some('u' | 'U') => return self.hexadecimal(),
            Some(character) if character.is_ascii_punctuation() => character,
            _ => return Err(self.unexpected(Expected::Escape)),
        };
        self.next();
        Ok(character)
    }

    fn hexadecimal(&mut self) -> Result<char, Error> {
        self.next();
        // What to say of half a surrogate pair: four digits, and yet no character.
        let not_a_character = self.unexpected(Expected::Hexadecimal);
        let mut number = 0;
        for _ in 0..4 {
            let Some(digit) = self.peek().and_then(|digit| digit.to_digit(16)) else {
                return Err(self.unexpected(Expected::Hexadecimal));
            };
            self.next();
            number = number * 16 + digit;
        }
        char::from_u32(number).ok_or(not_a_character)
    }
}
