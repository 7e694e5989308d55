//! Reading the text form of a path.

use std::iter::Peekable;
use std::str::{Chars, FromStr};

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
        let mut reader = Reader { rest: text.chars().peekable(), position: 1 };
        reader.take('/');
        let mut elements = Vec::new();
        if reader.rest.peek().is_some() {
            elements.push(reader.element()?);
        }
        while reader.rest.peek().is_some() {
            reader.separator(elements.last())?;
            elements.push(reader.element()?);
        }
        Ok(Self::new(elements))
    }
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    /// Of the next character, from 1.
    position: usize,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        self.position += usize::from(self.rest.peek().is_some());
        self.rest.next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let there = self.rest.peek() == Some(&wanted);
        if there {
            self.next();
        }
        there
    }

    /// What stands next is not what could.
    fn unexpected(&mut self, expected: Expected) -> Error {
        let found = self.rest.peek().map_or(Found::End, |&character| Found::Character(character));
        Error::Syntax { position: self.position, found, expected }
    }

    fn separator(&mut self, before: Option<&Element>) -> Result<(), Error> {
        if self.take('/') {
            return Ok(());
        }
        let many = before.is_some_and(Element::is_many);
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
        while self.rest.peek() == Some(&'[') {
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
        keys.insert(key, value);
        Ok(())
    }

    /// Everything up to the end, or to one of these characters where it is not escaped.
    fn text(&mut self, stops: &[char]) -> Result<String, Error> {
        let mut text = String::new();
        while let Some(&character) = self.rest.peek() {
            if stops.contains(&character) {
                break;
            }
            self.next();
            text.push(if character == '\\' { self.escaped()? } else { character });
        }
        Ok(text)
    }

    fn escaped(&mut self) -> Result<char, Error> {
        let character = match self.rest.peek() {
            Some('n') => '\n',
            Some('r') => '\r',
            Some('u' | 'U') => return self.hexadecimal(),
            Some(&character) if character.is_ascii_punctuation() => character,
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
            let Some(digit) = self.rest.peek().and_then(|digit| digit.to_digit(16)) else {
                return Err(self.unexpected(Expected::Hexadecimal));
            };
            self.next();
            number = number * 16 + digit;
        }
        char::from_u32(number).ok_or(not_a_character)
    }
}
