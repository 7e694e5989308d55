//! The page with the roles and the table.

use std::path::PathBuf;

use lockstep_northbound::{Glob, Right, Role};
use serde_json::Value;

const BEGIN: &str = "```yaml\n";
const END: &str = "```\n";

#[derive(Clone)]
pub(crate) struct Page {
    before: String,
    identities: Vec<String>,
    rows: Vec<(String, Vec<String>)>,
    after: String,
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/authorisation.md")
}

fn cells(line: &str) -> Vec<String> {
    let inside = line.trim().trim_matches('|');
    inside.split('|').map(|cell| cell.trim().to_owned()).collect()
}

impl Page {
    pub(crate) fn read() -> Self {
        let text = std::fs::read_to_string(file()).unwrap();
        let start = text.find("| request |").expect("a table");
        let length = text[start..].find("\n\n").map_or(text.len() - start, |length| length + 1);
        let (table, after) = text[start..].split_at(length);
        let mut lines = table.lines();
        let identities = cells(lines.next().unwrap()).split_off(1);
        let rows = lines.skip(1).map(|line| {
            let mut cells = cells(line);
            cells.resize(identities.len() + 1, String::new());
            (cells.remove(0), cells)
        });
        Self {
            before: text[..start].to_owned(),
            rows: rows.collect(),
            identities,
            after: after.to_owned(),
        }
    }

    pub(crate) fn identities(&self) -> &[String] {
        &self.identities
    }

    pub(crate) fn requests(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(|(request, _)| request.trim_matches('`'))
    }

    /// Whether a request of the table is of this operation of HTTP.
    pub(crate) fn has(&self, method: &str, path: &str) -> bool {
        let parts = |path: &str| path.split('/').map(str::to_owned).collect::<Vec<_>>();
        let wanted = parts(path);
        self.requests().filter_map(|request| request.strip_prefix(method)).any(|asked| {
            let asked = parts(asked.trim().split('?').next().unwrap_or_default());
            let same =
                |(part, wanted): (&String, &String)| part == wanted || wanted.starts_with('{');
            asked.len() == wanted.len() && asked.iter().zip(&wanted).all(same)
        })
    }

    pub(crate) fn cells(&self) -> usize {
        self.rows.len() * self.identities.len()
    }

    pub(crate) fn set(&mut self, row: usize, column: usize, answer: String) {
        self.rows[row].1[column] = answer;
    }

    /// The cells that are not the same.
    pub(crate) fn differences<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = String> + 'a {
        self.rows.iter().zip(&other.rows).flat_map(move |((request, said), (_, done))| {
            let cells = self.identities.iter().zip(said.iter().zip(done));
            cells.filter(|(_, (said, done))| said != done).map(move |(identity, (said, done))| {
                format!("{identity}: {request}: the page says `{said}`, the answer is `{done}`")
            })
        })
    }

    pub(crate) fn write(&self) {
        let line = |first: &str, cells: &[String]| format!("| {first} | {} |\n", cells.join(" | "));
        let mut text = self.before.clone();
        text += &line("request", &self.identities);
        text += &format!("|---|{}\n", "---|".repeat(self.identities.len()));
        for (request, cells) in &self.rows {
            text += &line(request, cells);
        }
        text += &self.after;
        std::fs::write(file(), text).unwrap();
    }

    /// The roles of the page, each of which is a line of YAML.
    pub(crate) fn roles(&self) -> Vec<Role> {
        let start = self.before.find(BEGIN).expect("roles") + BEGIN.len();
        let length = self.before[start..].find(END).unwrap();
        let tree: Value = serde_saphyr::from_str(&self.before[start..start + length]).unwrap();
        let roles = tree["roles"].as_object().unwrap();
        roles.iter().map(|(name, given)| role(name, given)).collect()
    }
}

fn role(name: &str, given: &Value) -> Role {
    let texts = |key: &str| -> Vec<String> {
        let all = given.get(key).and_then(Value::as_array);
        all.into_iter().flatten().map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    let globs = |key: &str| texts(key).into_iter().map(Glob::new).collect();
    let may = texts("may");
    let rights = Right::ALL.into_iter().filter(|right| may.iter().any(|may| may == right.name()));
    Role {
        name: name.to_owned(),
        may: rights.collect(),
        users: globs("users"),
        groups: globs("groups"),
        targets: globs("targets"),
        tags: texts("tags").into_iter().collect(),
        paths: texts("paths").iter().map(|text| text.parse().unwrap()).collect(),
    }
}
