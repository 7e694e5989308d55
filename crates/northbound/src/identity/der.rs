//! The little of DER that names and keys are wrapped in. Whoever calls this has had the whole checked, or
//! takes nothing from it but what is then checked.

/// A SEQUENCE.
pub(super) const SEQUENCE: u8 = 0x30;
/// A SET.
pub(super) const SET: u8 = 0x31;
/// An OBJECT IDENTIFIER.
pub(super) const OID: u8 = 0x06;
/// A BIT STRING.
pub(super) const BITS: u8 = 0x03;

/// The first value: its tag, what is in it, and what comes after it. None: there is none that is whole.
pub(super) fn next(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = bytes.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        0x81..=0x84 => {
            let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            (digits.iter().fold(0, |sum, &digit| sum << 8 | usize::from(digit)), rest)
        }
        _ => return None,
    };
    let (inside, after) = rest.split_at_checked(length)?;
    Some((tag, inside, after))
}

/// What is in the first value, if it has this tag; and what comes after it.
pub(super) fn take(bytes: &[u8], wanted: u8) -> Option<(&[u8], &[u8])> {
    next(bytes).filter(|(tag, ..)| *tag == wanted).map(|(_, inside, after)| (inside, after))
}

/// The values one after the other, each with its tag.
pub(super) fn all(bytes: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (tag, inside, after) = next(rest)?;
        rest = after;
        Some((tag, inside))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_a_length() {
        assert_eq!(next(&[0x30, 2, 1, 2, 3]), Some((0x30, &[1, 2][..], &[3][..])));
        let long: Vec<u8> = [0x04, 0x81, 200].into_iter().chain([7; 200]).collect();
        assert_eq!(next(&long), Some((0x04, &[7; 200][..], &[][..])));
        assert_eq!(all(&[1, 0, 2, 1, 9]).collect::<Vec<_>>(), [(1, &[][..]), (2, &[9][..])]);
    }

    #[test]
    fn what_is_cut_off_is_none() {
        for bad in [
            &[][..],
            &[0x30],
            &[0x30, 3, 1],
            &[0x30, 0x80],
            &[0x30, 0x85, 0, 0, 0, 0, 0],
            &[0x30, 0x82, 1],
        ] {
            assert_eq!(next(bad), None, "{bad:?}");
        }
        assert_eq!(take(&[0x30, 0], SET), None);
    }
}
