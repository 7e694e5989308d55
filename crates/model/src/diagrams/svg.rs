//! A picture of states and arrows, in columns from left to right; light or dark as whoever looks has it.

use std::collections::BTreeMap;
use std::fmt::Write;

/// The size of a state, and how far columns are apart.
const BOX: (i32, i32) = (112, 40);
const PITCH: i32 = 196;
/// How much height a state has, and an arrow that passes by.
const ROW: i32 = 60;
const WAY: i32 = 24;
/// Around everything; on the left there is also where it begins.
const MARGIN: i32 = 22;
const BEGIN: i32 = 46;
/// How far arrows are apart where they leave or meet a state.
const PORT: i32 = 6;

/// What is drawn.
pub(super) struct Picture {
    pub title: &'static str,
    /// Each state, and what may follow it. The first is where everything begins; what nothing follows ends.
    pub states: Vec<(&'static str, Vec<&'static str>)>,
    pub places: &'static super::Places,
}

/// Where each state is, and in each column the way of an arrow that passes: the left edge of the column, and the middle.
type Laid = BTreeMap<&'static str, Vec<(i32, i32)>>;

/// From a state to another.
type Arrow = (&'static str, &'static str);

impl Picture {
    /// # Errors
    /// A state without a place, or a place for what there is not.
    pub(super) fn drawn(&self) -> Result<String, String> {
        let (laid, height) = self.laid_out();
        self.check(&laid)?;
        let width = left(self.places.len()) - PITCH + BOX.0 + MARGIN;
        let mut text = self.head(width, height);
        for arrow in self.arrows() {
            line(&mut text, &self.course(&laid, arrow));
        }
        for (state, next) in &self.states {
            for place in &laid[state] {
                boxed(&mut text, state, *place, next.is_empty());
            }
        }
        text.push_str("</svg>\n");
        Ok(text)
    }

    /// The places of everything, each column around the same middle, and the height of it all.
    fn laid_out(&self) -> (Laid, i32) {
        let size = |name: &str| if name.contains('>') { WAY } else { ROW };
        let tall = |column: &&[&str]| column.iter().map(|name| size(name)).sum::<i32>();
        let height = self.places.iter().map(tall).max().unwrap_or(0);
        let mut laid = Laid::new();
        for (at, column) in self.places.iter().enumerate() {
            let mut y = MARGIN + (height - tall(column)) / 2;
            for name in *column {
                laid.entry(*name).or_default().push((left(at), y + size(name) / 2));
                y += size(name);
            }
        }
        (laid, height + 2 * MARGIN)
    }

    fn check(&self, laid: &Laid) -> Result<(), String> {
        let title = self.title;
        if let Some((state, _)) = self.states.iter().find(|(state, _)| !laid.contains_key(state)) {
            return Err(format!("{title}: no place for {state}"));
        }
        let ways: Vec<_> = self.arrows().map(|(from, to)| format!("{from}>{to}")).collect();
        let is_known = |name: &str| {
            self.states.iter().any(|(state, _)| *state == name)
                || ways.iter().any(|way| way == name)
        };
        match laid.keys().find(|name| !is_known(name)) {
            Some(name) => Err(format!("{title}: the core has no {name}")),
            None => Ok(()),
        }
    }

    fn arrows(&self) -> impl Iterator<Item = Arrow> {
        self.states.iter().flat_map(|(from, next)| next.iter().map(move |to| (*from, *to)))
    }

    /// Where an arrow goes through: the state that it leaves, its ways, and the state that it leads to.
    fn through(laid: &Laid, (from, to): Arrow) -> Vec<(i32, i32)> {
        let ways = laid.get(format!("{from}>{to}").as_str()).into_iter().flatten();
        [laid[from][0]].into_iter().chain(ways.copied()).chain([laid[to][0]]).collect()
    }

    /// From a state to another, through the columns between them: back, where that is to the left.
    fn course(&self, laid: &Laid, arrow: Arrow) -> String {
        let through = Self::through(laid, arrow);
        let [(first, _), ways @ .., (last, _)] = through.as_slice() else { return String::new() };
        let is_back = last < first;
        let (leaves, arrives) = if is_back { (0, BOX.0) } else { (BOX.0, 0) };
        let mut here = (first + leaves, self.port(laid, arrow, arrow.0));
        let mut course = format!("M{} {}", here.0, here.1);
        for (left, y) in ways {
            // Writing to a text cannot fail.
            let _ = write!(course, "{} H{}", curve(here, (*left, *y)), left + BOX.0);
            here = (left + BOX.0, *y);
        }
        course + &curve(here, (last + arrives, self.port(laid, arrow, arrow.1)))
    }

    /// How high an arrow leaves or meets a state: those at one side of it are in the order of what they come from or lead to, so
    /// that they do not cross.
    fn port(&self, laid: &Laid, arrow: Arrow, state: &str) -> i32 {
        let side = Self::side(laid, arrow, state);
        let mut there: Vec<_> = self
            .arrows()
            .filter_map(|other| {
                let (right, y) = Self::side(laid, other, state)?;
                (Some(right) == side.map(|(right, _)| right)).then_some((
                    y,
                    laid[other.0][0],
                    other,
                ))
            })
            .collect();
        there.sort_unstable();
        let count = i32::try_from(there.len()).unwrap_or(1);
        let before = there.iter().position(|(.., other)| *other == arrow).unwrap_or(0);
        let before = i32::try_from(before).unwrap_or(0);
        laid[state][0].1 + (2 * before + 1 - count) * PORT / 2
    }

    /// Whether an arrow is at the right of a state, and how high what is at its other end there is, if it leaves or meets it.
    fn side(laid: &Laid, arrow: Arrow, state: &str) -> Option<(bool, i32)> {
        let through = Self::through(laid, arrow);
        let [(first, leaves), .., (last, meets)] = through.as_slice() else { return None };
        let next = through.get(1).map_or(*leaves, |(_, y)| *y);
        let before = through.iter().nth_back(1).map_or(*meets, |(_, y)| *y);
        match state {
            state if state == arrow.0 => Some((last > first, next)),
            state if state == arrow.1 => Some((last < first, before)),
            _ => None,
        }
    }

    /// For those who cannot see it: what follows what.
    fn told(&self) -> String {
        let next = |(state, next): &(&str, Vec<&str>)| match next.as_slice() {
            [] => format!("{state}, the end"),
            next => format!("{state}, then {}", next.join(" or ")),
        };
        self.states.iter().map(next).collect::<Vec<_>>().join("; ")
    }

    fn head(&self, width: i32, height: i32) -> String {
        let (title, told) = (self.title, self.told());
        let (inner, tall) = (width - 2, height - 2);
        let middle = height / 2;
        let (dot, start, end) = (MARGIN + 2, MARGIN + 10, left(0) - 2);
        format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-labelledby="title desc">
  <title id="title">{title}</title>
  <desc id="desc">{told}.</desc>
  <style>{STYLE}  </style>
  <defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto"><path class="tip" d="M0 0 10 5 0 10z"/></marker></defs>
  <rect class="page" x="1" y="1" width="{inner}" height="{tall}" rx="10"/>
  <circle class="tip" cx="{dot}" cy="{middle}" r="6"/><path class="line" d="M{start} {middle} H{end}" marker-end="url(#tip)"/>
"##
        )
    }
}

/// As the other pictures of the documentation are.
const STYLE: &str = "
    .page { fill: #ffffff; stroke: #d0d7de; }
    .on { fill: #f2f6fb; stroke: #4a6fa5; stroke-width: 1.5; }
    .end { fill: #f6f8fa; stroke: #6e7781; stroke-width: 1.5; }
    .inner { fill: none; stroke: #6e7781; }
    .line { fill: none; stroke: #57606a; stroke-width: 1.5; }
    .tip { fill: #57606a; }
    text { font: 600 15px system-ui, \"Segoe UI\", \"Helvetica Neue\", Arial, sans-serif; fill: #1f2328; text-anchor: middle; }
    @media (prefers-color-scheme: dark) {
      .page { fill: #0d1117; stroke: #30363d; }
      .on { fill: #15233a; stroke: #79a8e0; }
      .end { fill: #161b22; stroke: #8b949e; }
      .inner { stroke: #8b949e; }
      .line { stroke: #9aa4af; }
      .tip { fill: #9aa4af; }
      text { fill: #e6edf3; }
    }
";

/// The left edge of a column.
fn left(column: usize) -> i32 {
    MARGIN + BEGIN + PITCH * i32::try_from(column).unwrap_or(0)
}

/// From a point to another, level at both ends.
fn curve((x, y): (i32, i32), (to_x, to_y): (i32, i32)) -> String {
    let middle = i32::midpoint(x, to_x);
    format!(" C{middle} {y} {middle} {to_y} {to_x} {to_y}")
}

fn line(text: &mut String, course: &str) {
    let _ = writeln!(text, r#"  <path class="line" d="{course}" marker-end="url(#tip)"/>"#);
}

/// A state; what nothing follows has a second frame.
fn boxed(text: &mut String, state: &str, (x, y): (i32, i32), is_end: bool) {
    let (width, height) = BOX;
    let (top, middle, base) = (y - height / 2, x + width / 2, y + 5);
    let class = if is_end { "end" } else { "on" };
    let _ = write!(
        text,
        r#"  <rect class="{class}" x="{x}" y="{top}" width="{width}" height="{height}" rx="7"/>"#
    );
    if is_end {
        let (x, y, width, height) = (x + 3, top + 3, width - 6, height - 6);
        let _ = write!(
            text,
            r#"<rect class="inner" x="{x}" y="{y}" width="{width}" height="{height}" rx="5"/>"#
        );
    }
    let _ = writeln!(text, r#"<text x="{middle}" y="{base}">{state}</text>"#);
}
