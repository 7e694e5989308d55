//! Texts cut to what has room in a gRPC status.
//!
//! A status travels as headers, of which clients take eight kilobytes, some of them for other things;
//! one that is larger ends the call with an error that says nothing about what happened.

/// How many bytes the message of a status may have.
pub const MESSAGE: usize = 1024;

/// The text, or its beginning with a `…` where it is longer than so many bytes.
#[must_use]
pub fn brief(text: &str, bytes: usize) -> String {
    const MORE: char = '…';
    if text.len() <= bytes {
        return text.to_owned();
    }
    let room = bytes.saturating_sub(MORE.len_utf8());
    let whole = text.char_indices().take_while(|(at, one)| at + one.len_utf8() <= room);
    whole.map(|(_, one)| one).chain([MORE]).collect()
}

#[cfg(test)]
mod tests {
    use super::brief;

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(brief("abc", 3), "abc");
        assert_eq!(brief("abcdef", 5), "ab…");
        // Each of these has two bytes, so the last that would fit by half is left out.
        assert_eq!(brief("äöüäöü", 8), "äö…");
        assert_eq!(brief("äöüäöü", 0), "…");
    }
}
