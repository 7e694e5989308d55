//! What one identity may do on one target.

use lockstep_types::Path;

use super::{Pattern, Right, Role, Rules};
use crate::identity::Identity;

/// Where on a target a right holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Everywhere.
    Whole,
    /// At these paths; nowhere, if there are none.
    Paths(Vec<Pattern>),
}

impl Extent {
    const NOWHERE: Self = Self::Paths(Vec::new());

    pub(crate) fn is_nowhere(&self) -> bool {
        *self == Self::NOWHERE
    }

    /// Whether it holds for all that a path reaches.
    pub(crate) fn covers(&self, path: &Path) -> bool {
        match self {
            Self::Whole => true,
            Self::Paths(paths) => paths.iter().any(|pattern| pattern.covers(path)),
        }
    }

    /// Whether it may hold for some of what a path reaches.
    pub(crate) fn meets(&self, path: &Path) -> bool {
        match self {
            Self::Whole => true,
            Self::Paths(paths) => paths.iter().any(|pattern| pattern.meets(path)),
        }
    }
}

/// The roles of one identity. Cheap to ask: there are few.
#[derive(Clone, Debug)]
pub(crate) struct Grants {
    /// None: nobody has roles, so everybody may do everything but read secrets.
    roles: Option<Vec<Role>>,
}

impl Grants {
    pub(crate) fn of(rules: &Rules, identity: &Identity) -> Self {
        if rules.roles.is_empty() {
            return Self { roles: None };
        }
        let has = |role: &&Role| {
            role.users.iter().any(|user| user.matches(&identity.name))
                || role.groups.iter().any(|g| identity.groups.iter().any(|name| g.matches(name)))
        };
        Self { roles: Some(rules.roles.iter().filter(has).cloned().collect()) }
    }

    /// Where on a target, which has these tags, a right holds. They are not looked up for nothing.
    pub(crate) fn on(
        &self,
        right: Right,
        target: &str,
        tags: impl FnOnce() -> Vec<String>,
    ) -> Extent {
        let Some(roles) = &self.roles else {
            return if right == Right::ReadSecrets { Extent::NOWHERE } else { Extent::Whole };
        };
        let tagged = roles.iter().any(|role| !role.tags.is_empty());
        let tags = if tagged { tags() } else { Vec::new() };
        let gives = |role: &&Role| {
            role.may.contains(&right)
                && (role.targets.is_empty() || role.targets.iter().any(|glob| glob.matches(target)))
                && (role.tags.is_empty() || tags.iter().any(|tag| role.tags.contains(tag)))
        };
        let mut paths = Vec::new();
        for role in roles.iter().filter(gives) {
            if role.paths.is_empty() {
                return Extent::Whole;
            }
            paths.extend(role.paths.iter().cloned());
        }
        Extent::Paths(paths)
    }

    /// Whether a right holds on any target there may be.
    pub(crate) fn anywhere(&self, right: Right) -> bool {
        match &self.roles {
            None => right != Right::ReadSecrets,
            Some(roles) => roles.iter().any(|role| role.may.contains(&right)),
        }
    }

    /// Whether a right holds on every target there may be, at every path.
    pub(crate) fn everywhere(&self, right: Right) -> bool {
        let all = |role: &Role| {
            let targets = role.targets.is_empty() || role.targets.iter().any(super::Glob::is_any);
            role.may.contains(&right) && targets && role.tags.is_empty() && role.paths.is_empty()
        };
        match &self.roles {
            None => right != Right::ReadSecrets,
            Some(roles) => roles.iter().any(all),
        }
    }

    /// Whether nobody has roles.
    pub(crate) fn are_all(&self) -> bool {
        self.roles.is_none()
    }

    /// Whether any role is held at all, or none is needed.
    pub(crate) fn some(&self) -> bool {
        self.roles.as_ref().is_none_or(|roles| !roles.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Glob;
    use super::*;

    fn role(may: &[Right], targets: &[&str], tags: &[&str], paths: &[&str]) -> Role {
        Role {
            name: "r".into(),
            may: may.iter().copied().collect(),
            users: vec![Glob::new("alice")],
            groups: vec![Glob::new("noc")],
            targets: targets.iter().copied().map(Glob::new).collect(),
            tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
            paths: paths.iter().map(|text| text.parse().unwrap()).collect(),
        }
    }

    fn grants(roles: Vec<Role>, name: &str, groups: &[&str]) -> Grants {
        let groups = groups.iter().map(|&group| group.to_owned()).collect();
        let identity = Identity { name: name.into(), groups, ..Identity::nobody() };
        Grants::of(&Rules { roles, ..Rules::default() }, &identity)
    }

    #[test]
    fn without_roles_everything_but_secrets() {
        let grants = grants(Vec::new(), "", &[]);
        for right in Right::ALL {
            let free = right != Right::ReadSecrets;
            assert_eq!(grants.on(right, "leaf1", Vec::new) == Extent::Whole, free);
            assert_eq!((grants.anywhere(right), grants.everywhere(right)), (free, free));
        }
    }

    #[test]
    fn a_role_is_held_by_name_or_by_group() {
        let roles = vec![role(&[Right::Read], &[], &[], &[])];
        assert!(grants(roles.clone(), "alice", &[]).some());
        assert!(grants(roles.clone(), "bob", &["x", "noc"]).some());
        let stranger = grants(roles, "bob", &["x"]);
        assert!(!stranger.some() && stranger.on(Right::Read, "leaf1", Vec::new).is_nowhere());
    }

    #[test]
    fn name_and_tag_both_have_to_fit() {
        let roles = vec![role(&[Right::Read], &["leaf*"], &["pod1"], &["/a"])];
        let grants = grants(roles, "alice", &[]);
        let pod1 = || vec!["pod1".to_owned()];
        let there = grants.on(Right::Read, "leaf1", pod1);
        assert!(there.covers(&"/a/b".parse().unwrap()) && !there.covers(&"/b".parse().unwrap()));
        assert!(grants.on(Right::Read, "leaf1", Vec::new).is_nowhere());
        assert!(grants.on(Right::Read, "spine1", pod1).is_nowhere());
        assert!(grants.on(Right::Change, "leaf1", pod1).is_nowhere());
        assert!(grants.anywhere(Right::Read) && !grants.everywhere(Right::Read));
    }

    #[test]
    fn everywhere_is_every_target_and_path() {
        let every = |targets: &[&str], tags: &[&str], paths: &[&str]| {
            let roles = vec![role(&[Right::Operate], targets, tags, paths)];
            grants(roles, "alice", &[]).everywhere(Right::Operate)
        };
        assert!(every(&[], &[], &[]) && every(&["*"], &[], &[]));
        assert!(
            !every(&["leaf*"], &[], &[]) && !every(&[], &["t"], &[]) && !every(&[], &[], &["/a"])
        );
    }
}
