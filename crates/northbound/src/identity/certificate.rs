//! Whom a client's certificate names. The listener has verified it by then.

use std::collections::BTreeSet;

use tokio_rustls::rustls::pki_types::CertificateDer;
use webpki::EndEntityCert;

use super::{How, Identity, der, is_name, is_persons_name, validity};

/// 2.5.4.3
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
/// 2.5.4.11
const ORGANIZATIONAL_UNIT: &[u8] = &[0x55, 0x04, 0x0b];

/// Whom a certificate names; none: nobody that could stand in a rule.
pub(crate) fn identity(certificate: &CertificateDer<'_>) -> Option<Identity> {
    let certificate = EndEntityCert::try_from(certificate).ok()?;
    let (mut common, mut groups) = (None, BTreeSet::new());
    for (kind, text) in subject(certificate.subject()) {
        match kind {
            COMMON_NAME => common = common.or(Some(text).filter(|name| is_persons_name(name))),
            ORGANIZATIONAL_UNIT => drop(groups.insert(text)),
            _ => {}
        }
    }
    let alternative = || {
        let mut names = certificate.valid_dns_names().chain(certificate.valid_uri_names());
        names.find(|name| is_persons_name(name)).map(str::to_owned)
    };
    let name = common.or_else(alternative)?;
    let until = Some(validity::until(&certificate.der())?);
    Some(Identity { name, groups, how: How::Certificate, until, ..Identity::nobody() })
}

/// The attributes of a name that are text, each with its kind.
fn subject(name: &[u8]) -> impl Iterator<Item = (&[u8], String)> {
    let sets = der::all(name).filter(|(tag, _)| *tag == der::SET);
    let attributes = sets.flat_map(|(_, set)| der::all(set));
    attributes.filter_map(|(_, attribute)| {
        let (kind, value) = der::take(attribute, der::OID)?;
        let (tag, text, _) = der::next(value)?;
        let text = text_of(tag, text).filter(|text| is_name(text))?;
        Some((kind, text))
    })
}

/// UTF8String, PrintableString and IA5String; nobody has used the others for decades.
fn text_of(tag: u8, bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    match tag {
        0x0c => Some(text.to_owned()),
        0x13 | 0x16 if text.is_ascii() => Some(text.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use tokio_rustls::rustls::pki_types::pem::PemObject;

    use super::*;

    fn attribute(kind: &[u8], tag: u8, text: &[u8]) -> Vec<u8> {
        let wrap = |tag: u8, inside: &[u8]| {
            let length = u8::try_from(inside.len()).unwrap();
            [&[tag, length], inside].concat()
        };
        let pair = [wrap(der::OID, kind), wrap(tag, text)].concat();
        wrap(der::SET, &wrap(der::SEQUENCE, &pair))
    }

    #[test]
    fn names_and_units_are_found() {
        let name = [
            attribute(&[0x55, 0x04, 0x0a], 0x13, b"Example"),
            attribute(ORGANIZATIONAL_UNIT, 0x0c, "nöc".as_bytes()),
            attribute(COMMON_NAME, 0x13, b"alice"),
        ];
        let found: Vec<_> = name.iter().flat_map(|one| subject(one)).collect();
        let expected = [
            (&[0x55, 0x04, 0x0a][..], "Example".to_owned()),
            (ORGANIZATIONAL_UNIT, "nöc".to_owned()),
            (COMMON_NAME, "alice".to_owned()),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_no_name_is_passed_over() {
        for (tag, text) in [
            (0x0c, &b"a\nb"[..]),
            (0x0c, b""),
            (0x0c, b"\xff"),
            (0x1e, b"\0a"),
            (0x13, b"\xc3\xa9"),
        ] {
            assert_eq!(subject(&attribute(COMMON_NAME, tag, text)).count(), 0, "{text:?}");
        }
        assert!(identity(&CertificateDer::from(vec![1, 2, 3])).is_none());
    }

    #[test]
    fn it_ends_with_its_certificate() {
        let pem = include_bytes!("../../../southbound/tests/gnmi/certificates/client.pem");
        let certificate = CertificateDer::from_pem_slice(pem).unwrap();
        let identity = identity(&certificate).unwrap();
        assert_eq!(identity.name, "client");
        // 22 October 2126, 12:18:44.
        let until = UNIX_EPOCH + Duration::from_secs(4_948_345_124);
        assert_eq!(identity.until, Some(until));
        assert!(identity.is_over(until) && !identity.is_over(until - Duration::from_secs(1)));
    }

    proptest::proptest! {
        /// A name may hold anything; whoever signed it said so, and it breaks nothing.
        #[test]
        fn any_bytes_are_looked_at(bytes: Vec<u8>) {
            let _ = subject(&bytes).count();
            proptest::prop_assert!(identity(&CertificateDer::from(bytes)).is_none());
        }
    }
}
