//! Tokens into a tree. What YANG has no use for (variables, attributes, the axes that leave a subtree
//! sideways) is not understood, which is safe: such an expression counts as reading everything.

mod path;

use super::lex::Token;
use super::{Expr, Operator};

/// Deeper nesting than anybody writes; the stack is finite.
const DEPTH: usize = 64;

/// From what binds least to what binds most.
const LEVELS: [(&[&str], Operator); 7] = [
    (&["or"], Operator::Logic),
    (&["and"], Operator::Logic),
    (&["="], Operator::Equal),
    (&["!="], Operator::Value),
    (&["<", ">", "<=", ">="], Operator::Value),
    (&["+", "-"], Operator::Value),
    (&["*", "div", "mod"], Operator::Value),
];

pub(super) struct Parser {
    tokens: std::iter::Peekable<std::vec::IntoIter<Token>>,
    depth: usize,
}

impl Parser {
    pub(super) fn new(tokens: Vec<Token>) -> Self {
        Self { tokens: tokens.into_iter().peekable(), depth: 0 }
    }

    pub(super) fn whole(mut self) -> Option<Expr> {
        let expr = self.expr()?;
        self.tokens.peek().is_none().then_some(expr)
    }

    fn takes(&mut self, sign: &'static str) -> bool {
        self.tokens.next_if_eq(&Token::Sign(sign)).is_some()
    }

    fn needs(&mut self, sign: &'static str) -> Option<()> {
        self.takes(sign).then_some(())
    }

    fn expr(&mut self) -> Option<Expr> {
        self.depth += 1;
        let expr = (self.depth < DEPTH).then(|| self.level(0)).flatten();
        self.depth -= 1;
        expr
    }

    /// `=` and `!=` bind alike, but apart they tell more; which of the two stands first does not
    /// change what is read.
    fn level(&mut self, level: usize) -> Option<Expr> {
        let Some((signs, operator)) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        while signs.iter().any(|sign| self.takes(sign)) {
            let right = Box::new(self.level(level + 1)?);
            left = Expr::Binary { operator: *operator, left: Box::new(left), right };
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<Expr> {
        let mut negative = false;
        while self.takes("-") {
            negative = true;
        }
        let expr = self.union()?;
        let right = Box::new(Expr::Number);
        let negated =
            |left| Expr::Binary { operator: Operator::Value, left: Box::new(left), right };
        Some(if negative { negated(expr) } else { expr })
    }

    fn union(&mut self) -> Option<Expr> {
        let mut left = self.path()?;
        while self.takes("|") {
            let right = Box::new(self.path()?);
            left = Expr::Binary { operator: Operator::Union, left: Box::new(left), right };
        }
        Some(left)
    }

    /// A literal, number, call or expression in brackets, if one is next.
    fn primary(&mut self) -> Option<Option<Expr>> {
        match self.tokens.peek()?.clone() {
            Token::Number => {
                self.tokens.next();
                Some(Some(Expr::Number))
            }
            Token::Literal(text) => {
                self.tokens.next();
                Some(Some(Expr::Literal(text)))
            }
            Token::Sign("(") => {
                self.tokens.next();
                let expr = self.expr()?;
                self.needs(")")?;
                Some(Some(expr))
            }
            Token::Name(None, name) if self.is_call(&name) => {
                self.tokens.next();
                self.needs("(")?;
                let arguments = self.arguments()?;
                Some(Some(Expr::Call { name, arguments }))
            }
            Token::Name(..) | Token::Sign(_) => Some(None),
        }
    }

    fn is_call(&self, name: &str) -> bool {
        let mut ahead = self.tokens.clone();
        ahead.next();
        let is_test = matches!(name, "node" | "text" | "comment" | "processing-instruction");
        !is_test && ahead.next() == Some(Token::Sign("("))
    }

    fn arguments(&mut self) -> Option<Vec<Expr>> {
        let mut arguments = Vec::new();
        if self.takes(")") {
            return Some(arguments);
        }
        loop {
            arguments.push(self.expr()?);
            if self.takes(")") {
                return Some(arguments);
            }
            self.needs(",")?;
        }
    }
}
