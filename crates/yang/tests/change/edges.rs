//! Models each made for one way in which a change in one place matters to a rule in another. They are
//! so small that random changes hit it all the time.
//!
//! One node a line, nested by indentation: what it is, its name, its type, the choice and case it lies
//! in (`@0.1`), and after `|` its other statements. `choice` gives the statements of a choice.

use crate::models::{Kind, Models, Node, Type};

/// Each with a name.
pub(crate) const EDGES: [(&str, &str); 67] = [
    ("leafref to a leaf", "container c\n  leaf t letter\nleaf r ref ../c/t\nleaf-list m ref /c/t"),
    (
        "leafref to a key",
        "list l\n  key k letter\n  leaf x letter\nleaf r ref ../l/k\ncontainer c\n  leaf-list m ref ../../l/k",
    ),
    (
        "leafref to one of two keys",
        "list l\n  key k letter\n  key j letter\n  leaf x letter\nleaf r ref ../l/j\nleaf q ref ../l/k",
    ),
    (
        "leafref through a key",
        "list l\n  key k letter\n  leaf v letter\nleaf a ref ../l/k\nleaf r ref ../l[k = current()/../a]/v",
    ),
    (
        "leafref through a key to another key",
        "list l\n  key k letter\n  key j letter\nleaf a letter\nleaf r ref ../l[k = current()/../a]/j",
    ),
    (
        "leafref through the key of its own entry",
        "list l\n  key k letter\n  leaf v letter\nlist o\n  key k letter\n  leaf r ref ../../l[k = current()/../k]/v",
    ),
    (
        "leafref through a key with a default",
        "list l\n  key k letter\n  leaf v letter\ncontainer c\n  leaf a letter | default b;\n  leaf r ref ../../l[k = current()/../a]/v",
    ),
    (
        "leafref as a key",
        "list l\n  key k letter\nlist o\n  key k ref ../../l/k\n  leaf x letter\nleaf r ref ../o/k",
    ),
    (
        "leafref to a leaf of entries",
        "list l\n  key k letter\n  container c\n    leaf v letter\nlist o\n  key k letter\n  leaf r ref ../../l/c/v",
    ),
    (
        "leafref to leaves of nested lists",
        "list l\n  key k letter\n  list m\n    key i small\n    leaf v letter\nleaf r ref ../l/m/v\nleaf q smallref ../l/m/i",
    ),
    (
        "leafref to a leaf with a default",
        "list l\n  key k letter\n  leaf v letter | default b;\nleaf r ref ../l/v",
    ),
    (
        "leafref to a default under a condition",
        "container c\n  leaf s letter\n  leaf v letter | default b; when \"../s = 'a'\";\nleaf r ref ../c/v",
    ),
    (
        "leafref with a default",
        "list l\n  key k letter\ncontainer p presence\n  leaf r ref ../../l/k | default b;",
    ),
    (
        "leafref in a union",
        "list l\n  key k letter\n  leaf v letter\nleaf r uref ../l/k\nleaf-list m uref ../l/v",
    ),
    ("leafref to a leafref", "leaf a letter\nleaf b ref ../a\nleaf c ref ../b"),
    ("leafref to a leaf-list", "leaf-list t letter\nleaf r ref ../t\nlist o\n  key k ref ../../t"),
    ("leafref that need not lead anywhere", "leaf t letter\nleaf r weak ../t\nleaf q ref ../r"),
    (
        "leafref within its entry",
        "list l\n  key k ref ../c/k\n  container c\n    leaf k letter\n    leaf x letter",
    ),
    ("must on a sibling", "container c\n  leaf a letter\n  leaf b letter | must \"../a != 'b'\";"),
    (
        "must on a default",
        "container c\n  leaf a letter | default b;\n  leaf b letter | must \"../a = 'b'\";",
    ),
    (
        "must of a default",
        "leaf s letter\ncontainer c\n  leaf a letter | default b; must \"not(/s = 'c')\";",
    ),
    (
        "must of a container",
        "leaf s letter\ncontainer c | must \"not(/s = 'c')\";\n  leaf a letter",
    ),
    (
        "must of entries on what is outside",
        "leaf s letter\nlist l | must \"not(/s = ./k)\";\n  key k letter\n  leaf x letter",
    ),
    (
        "must on a number of entries",
        "list l\n  key k letter\n  leaf x letter\nleaf a letter | must \"count(../l) < 3\";",
    ),
    (
        "must on an entry by its key",
        "list l\n  key k letter\n  leaf v letter\nleaf a letter | must \"not(../l[k = current()]/v = 'b')\";\nleaf b letter | must \"../l[k = 'a']\";",
    ),
    (
        "must on the order of entries",
        "ulist l\n  key k letter\nleaf a letter | must \"../l[1]/k != 'b'\";",
    ),
    (
        "must on all that is below",
        "container c\n  container d\n    leaf a letter\n  list l\n    key k letter\nleaf b letter | must \"string-length(string(../c)) < 3\";",
    ),
    (
        "must through a leafref",
        "list l\n  key k letter\n  leaf v letter\nleaf r ref ../l/k | must \"not(deref(.)/../v = 'b')\";",
    ),
    (
        "when on a leaf",
        "leaf s letter\nleaf a letter | when \"../s = 'a'\";\nlist l | when \"/s != 'b'\";\n  key k letter",
    ),
    (
        "when on a container with defaults",
        "leaf s letter\ncontainer c | when \"../s = 'a'\";\n  leaf d letter | default b;\nleaf b letter | must \"../c/d\";",
    ),
    (
        "when on what is mandatory",
        "container c\n  leaf s letter\n  leaf a letter | mandatory true; when \"../s = 'a'\";\n  leaf-list m letter | min-elements 1; when \"../s = 'b'\";",
    ),
    (
        "when after when",
        "leaf s letter\nleaf a letter | default b; when \"../s = 'a'\";\nleaf b letter | when \"../a\"; default c;\nleaf d letter | must \"../b = 'c'\";",
    ),
    (
        "when on an entry by its key",
        "list l\n  key k letter\n  leaf v letter\nlist o\n  key k letter\n  leaf x letter | when \"../../l[k = current()/../k]/v = 'a'\";",
    ),
    (
        "unique",
        "list l | unique \"v\"; unique \"c/w x\";\n  key k letter\n  leaf v letter\n  leaf x letter\n  container c\n    leaf w letter",
    ),
    (
        "unique with a default",
        "list l | unique \"v\";\n  key k letter\n  leaf v letter | default b;",
    ),
    (
        "number of entries",
        "container p presence\n  list l | min-elements 1; max-elements 2;\n    key k letter\n  leaf-list m letter | min-elements 2;\nlist o | max-elements 2;\n  key k letter\n  container c\n    leaf-list n letter | min-elements 1; max-elements 2;",
    ),
    (
        "mandatory",
        "container p presence\n  leaf a letter | mandatory true;\n  container c\n    leaf b letter | mandatory true;\nlist l\n  key k letter\n  container c\n    leaf b letter | mandatory true;",
    ),
    (
        "choice",
        "choice 0 mandatory true;\nchoice 1 default x1-0;\ncontainer p presence\n  leaf a letter @0.0\n  leaf b letter @0.0 | mandatory true;\n  leaf-list c letter @0.1 | min-elements 2;\ncontainer q\n  leaf a letter @1.0 | default b;\n  leaf b letter @1.1\n  leaf d letter @1.1 | default c;\n  leaf e letter | must \"not(../a)\";\n  leaf f letter | must \"../d = 'c'\";",
    ),
    (
        "instance-identifier",
        "list l\n  key k letter\n  leaf v letter\ncontainer c\n  leaf d letter | default b;\n  container p presence\nleaf i instance\nleaf-list j instance",
    ),
    (
        "instance-identifier to what is there by default",
        "leaf s letter\ncontainer c | when \"../s = 'a'\";\n  leaf d letter | default b;\nlist l\n  key k letter\n  leaf v letter | default c;\nleaf i instance",
    ),
    (
        "an order in an entry",
        "list l\n  key k letter\n  ulist m\n    key j letter\n    leaf x letter\nleaf r ref ../l/k\nleaf a letter | must \"count(../l) < 3\";",
    ),
    (
        "leafref with a default in entries",
        "list l\n  key k letter\nlist o\n  key k letter\n  leaf r ref ../../l/k | default b;",
    ),
    (
        "when on a leaf that is referred to",
        "leaf s letter\ncontainer c | when \"../s = 'a'\";\n  leaf t letter\n  list l\n    key k letter\nleaf r ref ../c/t\nleaf q ref ../c/l/k\nleaf b letter | must \"not(../c/t = 'b')\";",
    ),
    (
        "leafref in a union beside a string",
        "list l\n  key k letter\n  leaf v letter | default b;\nlist o\n  key k uref ../../l/k\n  leaf r uref ../../l/v",
    ),
    (
        "a condition on a choice of entries",
        "list l\n  key k letter\n  leaf s letter\n  container c | when \"../s = 'a'\";\n    leaf d letter | default b;\n    leaf-list m ref ../../../l/k\nleaf r ref ../l/c/d",
    ),
    (
        "must on the value of a container",
        "container c\n  leaf a letter\n  container d\n    leaf e letter | default c;\n    list l\n      key k letter\n      leaf v letter\nleaf b letter | must \"not(contains(../c, 'b'))\";\nleaf z letter | must \"not(../c/d = 'a') and not(contains(../c/d/l, 'c'))\";",
    ),
    (
        "must on defaults under conditions below",
        "container c\n  leaf s letter\n  container d | when \"../s = 'a'\";\n    leaf e letter | default c;\nleaf b letter | must \"not(contains(../c, 'c'))\";",
    ),
    (
        "must on the second entry",
        "ulist l\n  key k small\n  leaf v letter\nlist m\n  key k small\n  leaf v letter\nleaf a letter | must \"not(../l[2]/v = 'b')\";\nleaf b letter | must \"not(../m[2]/v = 'b')\";",
    ),
    (
        "must on entries by a leaf",
        "list l\n  key k small\n  leaf v letter\n  leaf w letter\nleaf a letter | must \"not(../l[v = 'b']/w = 'c')\";\nleaf b letter | must \"not(../l[v = current()])\";",
    ),
    (
        "must by way of another node",
        "container p presence\nlist l\n  key k letter\nleaf x letter\nleaf a letter | must \"not(../p/../x = 'b')\";\nleaf b letter | must \"not(../l/../x = 'c')\";",
    ),
    (
        "must through the leafref of another",
        "list l\n  key k letter\n  leaf v letter\nleaf r ref ../l/k\nleaf a letter | must \"not(deref(../r)/../v = 'b')\";",
    ),
    (
        "must through a leafref with a key",
        "list l\n  key k letter\n  leaf v letter\nleaf s letter\nleaf r ref ../l[k = current()/../s]/v\nleaf a letter | must \"not(deref(../r)/../k = 'b')\";",
    ),
    (
        "what is mandatory under a condition",
        "container c\n  leaf b letter\n  leaf s letter\n  leaf z letter | mandatory true; when \"../s = 'a'\";\nlist l\n  key k letter\n  leaf b letter\n  leaf s letter\n  leaf z letter | mandatory true; when \"../s = 'a'\";",
    ),
    (
        "unique with a default in many entries",
        "list l | unique \"v\";\n  key k small\n  leaf v small | default 1;",
    ),
    (
        "unique in many entries",
        "list l | unique \"v w\"; must \"not(../l[k = '2']/v = '3')\";\n  key k small\n  leaf v small\n  leaf w letter | default b;",
    ),
    (
        "leafref into a choice",
        "container c\n  leaf a letter @0.0 | default b;\n  leaf d letter @0.1\nchoice 0 default x0-0;\nlist l\n  key k letter\n  leaf a letter @1.0\n  leaf d letter @1.1\nchoice 1 mandatory true;\nleaf r ref ../c/a\nleaf q ref ../l/a",
    ),
    (
        "must on defaults under conditions from outside",
        "leaf s letter\ncontainer c\n  leaf x letter\n  container d | when \"/s = 'a'\";\n    leaf e letter | default d;\nleaf b letter | must \"not(contains(../c, 'd'))\";",
    ),
    (
        "must on where the leafref of another leads",
        "list l\n  key k letter\nleaf r ref /l/k\nleaf a letter | must \"not(deref(../r)/../k = 'b')\";",
    ),
    (
        "must on two containers that are alike",
        "container c\n  leaf x letter\ncontainer d\n  leaf x letter\nleaf b letter | must \"not(../c = ../d)\";",
    ),
    (
        "default under a condition on a key",
        "list l\n  key k letter\n  leaf d letter | default b; when \"../k = 'a'\";",
    ),
    (
        "default under a condition from outside",
        "leaf s letter\nlist l\n  key k letter\n  leaf d letter | default b; when \"/s = 'a'\";",
    ),
    (
        "default under a condition on a default beside it",
        "leaf d letter | default c; when \"not(/c/x = 'b')\";\ncontainer c\n  leaf x letter | default b;\n  leaf y letter",
    ),
    (
        "default under a condition in an entry under one",
        "leaf s letter\nlist l | when \"/s = 'a'\";\n  key k letter\n  leaf x letter\n  leaf d letter | default b; when \"../x = 'c'\";",
    ),
    (
        "default under a condition below a container under one",
        "leaf s letter\ncontainer c | when \"/s = 'a'\";\n  container p presence\n    leaf x letter\n    leaf d letter | default b; when \"../x = 'c'\";",
    ),
    (
        "default under a condition in an entry under one on another case",
        "choice 0 mandatory false;\nlist l @0.0 | when \"not(../z)\";\n  key k letter\n  leaf d letter | default b;\n  leaf x letter\n  leaf e letter | default c; when \"../x = 'a'\";\nleaf z letter @0.1",
    ),
    (
        "default under a condition on the order of entries",
        "list o\n  key k letter\n  ulist l\n    key j letter\n    leaf v letter\n  leaf d letter | default b; when \"../l[1]/v = 'a'\";",
    ),
    (
        "default under a condition on the order of entries, at the top",
        "ulist l\n  key j letter\n  leaf v letter\nleaf d letter | default b; when \"../l[1]/v = 'a'\";",
    ),
];

/// The models of a description.
pub(crate) fn models(text: &str) -> Models {
    let mut models = Models { nodes: Vec::new(), choices: Vec::new() };
    let mut above: Vec<usize> = Vec::new();
    for line in text.lines() {
        if let Some(choice) = line.strip_prefix("choice ") {
            models.choices.push(choice.split_once(' ').unwrap().1.to_owned());
            continue;
        }
        let depth = (line.len() - line.trim_start().len()) / 2;
        above.truncate(depth);
        let node = node(line.trim_start(), above.last().copied());
        if node.key {
            let list = node.parent.unwrap();
            let Kind::List { keys, user } = models.nodes[list].kind else { panic!("{line}") };
            models.nodes[list].kind = Kind::List { keys: keys + 1, user };
        }
        above.push(models.nodes.len());
        models.nodes.push(node);
    }
    models
}

fn node(line: &str, parent: Option<usize>) -> Node {
    let (what, rules) = line.split_once(" | ").unwrap_or((line, ""));
    let (what, case) = match what.split_once(" @") {
        Some((what, case)) => (what, case.split_once('.')),
        None => (what, None),
    };
    let case = case.map(|(choice, case)| (choice.parse().unwrap(), case.parse().unwrap()));
    let mut words = what.splitn(4, ' ');
    let (word, name) = (words.next().unwrap(), words.next().unwrap().to_owned());
    let (of, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let kind = match word {
        "container" => Kind::Container { presence: of == "presence" },
        "list" | "ulist" => Kind::List { keys: 0, user: word == "ulist" },
        "leaf-list" => Kind::LeafList { user: false },
        _ => Kind::Leaf,
    };
    let reference = |of, required, union| {
        let (of, path) = (Box::new(of), path.to_owned());
        Type::Ref { path, required, of, union }
    };
    let of = match of {
        "small" => Type::Small,
        "instance" => Type::Instance,
        "ref" => reference(Type::Letter, true, false),
        "uref" => reference(Type::Letter, true, true),
        "weak" => reference(Type::Letter, false, false),
        "smallref" => reference(Type::Small, true, false),
        _ => Type::Letter,
    };
    let rules = if rules.is_empty() { String::new() } else { format!("{rules} ") };
    Node { name, module: "r", parent, kind, of, key: word == "key", case, rules }
}
