//! Models as text.

use std::fmt::Write as _;

use super::{Kind, Models, Type};
use crate::expressions;

impl Models {
    /// The text of the modules.
    pub(crate) fn text(&self) -> [(&'static str, String); 2] {
        let mut second = String::new();
        let first = self.body(None, "r", &mut second);
        let head = |name: &str| {
            format!("yang-version 1.1; namespace \"urn:random:{name}\"; prefix {name};")
        };
        [
            ("r", format!("module r {{ {} {first} }}", head("r"))),
            ("s", format!("module s {{ {} import r {{ prefix r; }} {second} }}", head("s"))),
        ]
    }

    fn body(&self, parent: Option<usize>, module: &str, second: &mut String) -> String {
        let mut text = String::new();
        let mut cases: Vec<(usize, usize, String)> = Vec::new();
        let mut augments = String::new();
        for id in self.children(parent) {
            let node = &self.nodes[id];
            let statement = self.statement(id, second);
            if node.module != module {
                augments.push_str(&statement);
            } else if let Some((choice, case)) = node.case {
                cases.push((choice, case, statement));
            } else {
                text.push_str(&statement);
            }
        }
        cases.sort();
        text.push_str(&self.choices(&cases));
        match parent {
            _ if augments.is_empty() => {}
            None => second.push_str(&augments),
            Some(parent) => {
                let to = expressions::schema_path(self, parent);
                writeln!(second, "augment \"{to}\" {{ {augments} }}").unwrap();
            }
        }
        text
    }

    fn choices(&self, cases: &[(usize, usize, String)]) -> String {
        let mut text = String::new();
        for choice in cases.chunk_by(|a, b| a.0 == b.0) {
            let number = choice[0].0;
            write!(text, "choice x{number} {{ ").unwrap();
            for case in choice.chunk_by(|a, b| a.1 == b.1) {
                let inside: String =
                    case.iter().map(|(_, _, statement)| statement.as_str()).collect();
                write!(text, "case x{number}-{} {{ {inside} }} ", case[0].1).unwrap();
            }
            write!(text, "{} }} ", self.choices[number]).unwrap();
        }
        text
    }

    fn statement(&self, id: usize, second: &mut String) -> String {
        let node = &self.nodes[id];
        let (name, rules) = (&node.name, &node.rules);
        let order = |user| if user { "ordered-by user;" } else { "" };
        match node.kind {
            Kind::Leaf => format!("leaf {name} {{ {} {rules} }}\n", of(&node.of)),
            Kind::LeafList { user } => {
                format!("leaf-list {name} {{ {} {} {rules} }}\n", of(&node.of), order(user))
            }
            Kind::Container { presence } => {
                let presence = if presence { "presence \"it\";" } else { "" };
                let body = self.body(Some(id), node.module, second);
                format!("container {name} {{ {presence} {rules}\n{body} }}\n")
            }
            Kind::List { user, .. } => {
                let keys = self.children(Some(id)).filter(|child| self.nodes[*child].key);
                let keys: Vec<&str> = keys.map(|key| self.nodes[key].name.as_str()).collect();
                let body = self.body(Some(id), node.module, second);
                format!(
                    "list {name} {{ key \"{}\"; {} {rules}\n{body} }}\n",
                    keys.join(" "),
                    order(user)
                )
            }
        }
    }
}

fn of(of: &Type) -> String {
    match of {
        Type::Small => "type uint8 { range 0..12; }".to_owned(),
        Type::Letter => "type string { pattern '[a-d]'; }".to_owned(),
        Type::Truth => "type boolean;".to_owned(),
        Type::Instance => "type instance-identifier;".to_owned(),
        Type::Ref { path, required, union, .. } => {
            let leafref =
                format!("type leafref {{ path \"{path}\"; require-instance {required}; }}");
            match union {
                true => format!("type union {{ {leafref} type enumeration {{ enum none; }} }}"),
                false => leafref,
            }
        }
    }
}
