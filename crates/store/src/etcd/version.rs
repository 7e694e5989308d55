//! Which versions of etcd will do.

use std::sync::Arc;

use super::fault::{Fault, Unfit};

/// Looks at the version of a member: too old is refused, one that can lose writes is warned of.
pub(super) fn look(member: &str, version: &str) -> Result<(), Fault> {
    let Some(number) = parse(version) else {
        tracing::warn!(member, version, "the version of etcd is not known to us");
        return Ok(());
    };
    if number < (3, 4, 0) {
        let old = Unfit::Old(member.to_owned(), version.to_owned());
        return Err(Fault::Refused(Arc::new(old)));
    }
    if loses_writes(number) {
        tracing::warn!(
            member,
            version,
            "this version of etcd can lose committed writes when it is killed under load \
             (etcd issue 13766): upgrade it to 3.5.3 or later"
        );
    }
    Ok(())
}

fn loses_writes(number: (u64, u64, u64)) -> bool {
    ((3, 5, 0)..=(3, 5, 2)).contains(&number)
}

/// Reads `3.5.2`, also with something behind it.
fn parse(version: &str) -> Option<(u64, u64, u64)> {
    let (number, _) = version.split_once(['-', '+']).unwrap_or((version, ""));
    let mut parts = number.split('.').map(|part| part.parse().ok());
    let number = (parts.next()??, parts.next()??, parts.next()??);
    parts.next().is_none().then_some(number)
}

#[cfg(test)]
mod tests {
    //! Which versions are refused, warned of, taken.

    use super::{look, loses_writes, parse};

    #[test]
    fn versions_are_told_apart() {
        for old in ["2.3.8", "3.3.27", "3.0.0-rc.1"] {
            assert!(look("m", old).is_err(), "{old}");
        }
        for taken in ["3.4.0", "3.4.23", "3.5.1", "3.6.0-alpha.0", "4.0.0", "a fork of mine"] {
            assert!(look("m", taken).is_ok(), "{taken}");
        }
        for (version, loses) in [
            ("3.4.23", false),
            ("3.5.0", true),
            ("3.5.2", true),
            ("3.5.3", false),
            ("3.6.0", false),
        ] {
            assert_eq!(loses_writes(parse(version).unwrap()), loses, "{version}");
        }
    }
}
