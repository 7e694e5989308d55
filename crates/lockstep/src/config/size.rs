//! Sizes and times as people write them.

use std::time::Duration;

/// Bytes: a number, or one with `KiB`, `MiB`, `GiB`, `KB`, `MB`, `GB` or `B`.
pub(super) fn bytes(text: &str) -> Result<usize, String> {
    const UNITS: [(&str, usize); 7] = [
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("KB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("B", 1),
    ];
    let unit = UNITS.iter().find_map(|(unit, size)| Some((text.strip_suffix(unit)?, *size)));
    let (number, size) = unit.unwrap_or((text, 1));
    let number: Option<usize> = number.trim().parse().ok();
    let size = number.and_then(|number| number.checked_mul(size)).filter(|size| *size > 0);
    size.ok_or_else(|| format!("{text:?} is not a size; write it like `16MiB`"))
}

/// A time: numbers with `h`, `m`, `s` or `ms`, as in `1m30s`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is not a time; write it like `10s` or `1m30s`");
    let mut rest = text;
    let mut total = Duration::ZERO;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
        let (number, after) = rest.split_at(digits);
        let unit = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, after) = after.split_at(unit);
        let number: u32 = number.parse().map_err(|_| wrong())?;
        let one = match unit {
            "h" => Duration::from_secs(3600),
            "m" => Duration::from_secs(60),
            "s" => Duration::from_secs(1),
            "ms" => Duration::from_millis(1),
            _ => return Err(wrong()),
        };
        total = one.checked_mul(number).and_then(|t| total.checked_add(t)).ok_or_else(wrong)?;
        rest = after;
    }
    if total.is_zero() { Err(wrong()) } else { Ok(total) }
}
