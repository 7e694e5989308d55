//! Location paths.

use super::Parser;
use crate::xpath::lex::Token;
use crate::xpath::{Axis, Expr, Start, Step, Test};

impl Parser {
    pub(super) fn path(&mut self) -> Option<Expr> {
        if let Some(primary) = self.primary()? {
            let predicates = self.predicates()?;
            let steps = self.more_steps()?;
            if predicates.is_empty() && steps.is_empty() {
                return Some(primary);
            }
            let start = Start::Nodes { of: Box::new(primary), predicates };
            return Some(Expr::Path { start, steps });
        }
        if self.tokens.peek() == Some(&Token::Sign("//")) {
            return Some(Expr::Path { start: Start::Root, steps: self.more_steps()? });
        }
        if self.takes("/") {
            let mut steps = Vec::new();
            if self.step_ahead() {
                steps.push(self.step()?);
                steps.extend(self.more_steps()?);
            }
            return Some(Expr::Path { start: Start::Root, steps });
        }
        let first = self.step()?;
        let steps = std::iter::once(first).chain(self.more_steps()?).collect();
        Some(Expr::Path { start: Start::Context, steps })
    }

    pub(super) fn step_ahead(&mut self) -> bool {
        match self.tokens.peek() {
            Some(Token::Name(..)) => true,
            Some(Token::Sign(sign)) => matches!(*sign, "." | ".."),
            _ => false,
        }
    }

    pub(super) fn predicates(&mut self) -> Option<Vec<Expr>> {
        let mut predicates = Vec::new();
        while self.takes("[") {
            predicates.push(self.expr()?);
            self.needs("]")?;
        }
        Some(predicates)
    }

    pub(super) fn more_steps(&mut self) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        loop {
            if self.takes("//") {
                let (axis, test) = (Axis::DescendantOrSelf, Test::Node);
                steps.push(Step { axis, test, predicates: Vec::new() });
            } else if !self.takes("/") {
                return Some(steps);
            }
            steps.push(self.step()?);
        }
    }

    pub(super) fn step(&mut self) -> Option<Step> {
        for (sign, axis) in [("..", Axis::Parent), (".", Axis::Itself)] {
            if self.takes(sign) {
                return Some(Step { axis, test: Test::Node, predicates: self.predicates()? });
            }
        }
        let mut axis = Axis::Child;
        let Token::Name(prefix, mut name) = self.tokens.next()? else { return None };
        let mut prefix = prefix;
        if prefix.is_none() && self.takes("::") {
            axis = axis_of(&name)?;
            let Token::Name(second, test) = self.tokens.next()? else { return None };
            (prefix, name) = (second, test);
        }
        let test = if self.takes("(") {
            self.needs(")")?;
            match name.as_str() {
                "node" => Test::Node,
                "text" => Test::Text,
                _ => return None,
            }
        } else if name == "*" {
            Test::Any { prefix }
        } else {
            Test::Name { prefix, name }
        };
        Some(Step { axis, test, predicates: self.predicates()? })
    }
}

fn axis_of(name: &str) -> Option<Axis> {
    Some(match name {
        "child" => Axis::Child,
        "parent" => Axis::Parent,
        "self" => Axis::Itself,
        "descendant" => Axis::Descendant,
        "descendant-or-self" => Axis::DescendantOrSelf,
        "ancestor" => Axis::Ancestor,
        "ancestor-or-self" => Axis::AncestorOrSelf,
        "preceding-sibling" | "following-sibling" => Axis::Sibling,
        _ => return None,
    })
}
