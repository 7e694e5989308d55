//! Walking libyang's schema once, into ours.

use std::collections::BTreeMap;

use lockstep_types::Element;
use yang5::context::Context;
use yang5::schema::{DataValueType, SchemaNode, SchemaNodeKind};

use super::{Base, Facts, Id, Kind, Node, ROOT, Schema};
use crate::raw;

impl Schema {
    /// The data nodes of every module that is implemented, and what rules are made of, by node.
    pub(crate) fn build(context: &Context) -> (Self, Vec<Facts>) {
        let mut schema = Self { nodes: vec![root()], choices: Vec::new() };
        let mut facts = vec![Facts::default()];
        for module in context.modules(true) {
            module.data().for_each(|node| schema.add(&node, ROOT, &[], &mut facts));
        }
        schema.finish(ROOT);
        (schema, facts)
    }

    fn add(
        &mut self,
        from: &SchemaNode<'_>,
        parent: Id,
        cases: &[(usize, usize)],
        facts: &mut Vec<Facts>,
    ) {
        match from.kind() {
            SchemaNodeKind::Choice => self.add_choice(from, parent, cases, facts),
            SchemaNodeKind::Container
            | SchemaNodeKind::List
            | SchemaNodeKind::Leaf
            | SchemaNodeKind::LeafList
            | SchemaNodeKind::AnyData
            | SchemaNodeKind::AnyXml => self.add_node(from, parent, cases, facts),
            SchemaNodeKind::Case
            | SchemaNodeKind::Rpc
            | SchemaNodeKind::Input
            | SchemaNodeKind::Output
            | SchemaNodeKind::Action
            | SchemaNodeKind::Notification => {}
        }
    }

    fn add_choice(
        &mut self,
        from: &SchemaNode<'_>,
        parent: Id,
        cases: &[(usize, usize)],
        facts: &mut Vec<Facts>,
    ) {
        let choice = self.choices.len();
        self.choices.push(Vec::new());
        for (number, case) in from.children().enumerate() {
            let before = self.node(parent).children.len();
            let inside: Vec<_> = cases.iter().copied().chain([(choice, number)]).collect();
            case.children().for_each(|node| self.add(&node, parent, &inside, facts));
            let members = self.node(parent).children[before..].to_vec();
            self.choices[choice].push(members);
        }
    }

    fn add_node(
        &mut self,
        from: &SchemaNode<'_>,
        parent: Id,
        cases: &[(usize, usize)],
        facts: &mut Vec<Facts>,
    ) {
        let id = self.nodes.len();
        self.nodes.push(node(from, parent, cases));
        facts.push(Facts::of(from));
        self.nodes[parent].children.push(id);
        from.children().for_each(|child| self.add(&child, id, &[], facts));
        if from.kind() == SchemaNodeKind::List {
            let children = self.node(id).children.iter().copied();
            self.nodes[id].keys = children.filter(|child| self.node(*child).is_key()).collect();
        }
    }

    /// Names the children for paths, and finds out where there is state, from the leaves up.
    fn finish(&mut self, id: Id) {
        let children = self.node(id).children.clone();
        let mut same: BTreeMap<String, usize> = BTreeMap::new();
        for child in &children {
            *same.entry(self.node(*child).name.clone()).or_default() += 1;
        }
        for child in children {
            self.finish(child);
            let node = &mut self.nodes[child];
            let qualified = node.qualified();
            let alone = same.get(&node.name) == Some(&1);
            node.element = if alone { node.name.clone() } else { qualified.clone() };
            node.step = Element::new(&node.element).ok();
            let (element, state, when) = (node.element.clone(), node.state, node.when_below);
            let parent = &mut self.nodes[id];
            parent.state |= state;
            parent.when_below |= when;
            parent.names.extend([(element, child), (qualified, child)]);
        }
    }
}

fn root() -> Node {
    Node {
        name: String::new(),
        module: String::new(),
        element: String::new(),
        step: None,
        parent: ROOT,
        kind: Kind::Root,
        config: true,
        state: false,
        base: None,
        any_text: false,
        keys: Vec::new(),
        user_ordered: false,
        cases: Vec::new(),
        when: false,
        when_below: false,
        musts: Vec::new(),
        children: Vec::new(),
        names: BTreeMap::new(),
    }
}

fn node(from: &SchemaNode<'_>, parent: Id, cases: &[(usize, usize)]) -> Node {
    let config = !from.is_state();
    let when = has_when(from);
    Node {
        name: from.name().to_owned(),
        module: from.module().name().to_owned(),
        parent,
        kind: kind(from),
        config,
        state: !config,
        base: base(from),
        any_text: raw::takes_any_text(from),
        user_ordered: from.is_user_ordered(),
        cases: cases.to_vec(),
        when,
        when_below: when,
        musts: musts(from),
        ..root()
    }
}

/// A choice or case may have the condition for the nodes in it.
fn has_when(from: &SchemaNode<'_>) -> bool {
    let schema_only = from.ancestors().take_while(SchemaNode::is_schema_only);
    from.whens().next().is_some()
        || schema_only.into_iter().any(|node| node.whens().next().is_some())
}

fn kind(from: &SchemaNode<'_>) -> Kind {
    match from.kind() {
        SchemaNodeKind::Container => Kind::Container { presence: !from.is_np_container() },
        SchemaNodeKind::List => Kind::List,
        SchemaNodeKind::Leaf => Kind::Leaf { key: from.is_list_key() },
        SchemaNodeKind::LeafList => Kind::LeafList,
        _ => Kind::Any,
    }
}

fn base(from: &SchemaNode<'_>) -> Option<Base> {
    let declared = from.leaf_type()?;
    let real = declared.leafref_real_type();
    let base = real.as_ref().unwrap_or(&declared).base_type();
    Some(match base {
        DataValueType::Int8 | DataValueType::Int16 | DataValueType::Int32 => Base::Int,
        DataValueType::Int64 => Base::Int64,
        DataValueType::Uint8 | DataValueType::Uint16 | DataValueType::Uint32 => Base::Uint,
        DataValueType::Uint64 => Base::Uint64,
        DataValueType::Dec64 => Base::Decimal64,
        DataValueType::Bool => Base::Bool,
        DataValueType::Enum => Base::Enum,
        DataValueType::Bits => Base::Bits,
        DataValueType::Binary => Base::Binary,
        DataValueType::IdentityRef => Base::IdentityRef,
        DataValueType::Empty => Base::Empty,
        DataValueType::InstanceId => Base::InstanceIdentifier,
        DataValueType::Union => Base::Union,
        DataValueType::String | DataValueType::LeafRef | DataValueType::Unknown => Base::String,
    })
}

fn musts(from: &SchemaNode<'_>) -> Vec<(String, String)> {
    let conditions = raw::musts(from).into_iter();
    let said =
        from.musts().into_iter().flatten().zip(conditions).filter_map(|(must, condition)| {
            let (words, tag) = (must.error_msg(), must.error_apptag());
            // One that has neither is known by how libyang puts it.
            let known = words.is_some() || tag.is_some();
            let words = words.map_or_else(
                || format!("Must condition \"{}\" not satisfied.", condition.text),
                str::to_owned,
            );
            known.then(|| (words, tag.unwrap_or("must-violation").to_owned()))
        });
    said.collect()
}
