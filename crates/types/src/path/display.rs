//! Writing the text form of a path, so that reading it gives the same path.

use std::fmt::{self, Write};

use super::{Element, Path};

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_root() {
            return f.write_char('/');
        }
        self.elements().iter().try_for_each(|element| write!(f, "/{element}"))
    }
}

/// As in the text form of a path.
impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        escape(f, self.name(), &['/', '['])?;
        for (key, value) in self.keys() {
            f.write_char('[')?;
            escape(f, key, &['=', ']'])?;
            f.write_char('=')?;
            escape(f, value, &[']'])?;
            f.write_char(']')?;
        }
        Ok(())
    }
}

/// A path is known by its text; the structure would only hide it.
impl fmt::Debug for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn escape(f: &mut fmt::Formatter<'_>, text: &str, special: &[char]) -> fmt::Result {
    let is_special = |c: char| c == '\\' || c.is_control() || special.contains(&c);
    let mut rest = text;
    // As a rule there is nothing to escape, and it is written in one piece.
    while let Some((at, character)) = rest.char_indices().find(|(_, c)| is_special(*c)) {
        f.write_str(&rest[..at])?;
        match character {
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            // No control character is beyond U+009F, so four digits are enough.
            _ if character.is_control() => write!(f, "\\u{:04X}", u32::from(character))?,
            _ => write!(f, "\\{character}")?,
        }
        rest = &rest[at + character.len_utf8()..];
    }
    f.write_str(rest)
}
