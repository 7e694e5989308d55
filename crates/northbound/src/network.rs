//! Who an address stands for.

use std::net::{IpAddr, Ipv6Addr};

/// The network that an address is taken for. Whoever has one address of IPv6 has all of its /64, and would
/// otherwise be as many as they like.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        four @ IpAddr::V4(_) => four,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_one() {
        let of = |text: &str| network(text.parse().unwrap()).to_string();
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(of("2001:db8:1:2::9"), of("2001:db8:1:2:3:4:5:6"));
        assert_ne!(of("2001:db8:1:3::9"), of("2001:db8:1:2::9"));
        // However it is written, this is one address of IPv4.
        assert_eq!((of("::ffff:10.0.0.1"), of("10.0.0.1")), ("10.0.0.1".into(), "10.0.0.1".into()));
    }
}
