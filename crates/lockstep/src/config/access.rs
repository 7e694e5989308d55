//! Who may do what, as the file says it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use lockstep_northbound::{
    Access, AuditTo, Glob, Issuer, Keys, Pattern, Right, Role, Rules, User, check_hash,
    is_persons_name,
};

use super::error::Problem;
use super::file::{self, File};

/// The claims that tokens usually have names and groups in.
const NAME: &str = "sub";
const GROUPS: &str = "groups";

pub(super) fn check(file: &File, folder: &Path) -> Result<Access, Problem> {
    let mut files = Vec::new();
    let mut tokens = Vec::new();
    for (number, given) in file.tokens.iter().enumerate() {
        tokens.push(token(&format!("tokens[{number}]"), given, folder, &mut files)?);
    }
    let users = file.users.iter().map(|(name, given)| Ok((name.clone(), user(name, given)?)));
    let roles = file.roles.iter().map(|(name, given)| role(name, given));
    let audit = file.audit.as_ref().map(|audit| match audit.file.to_str() {
        Some("log") => AuditTo::Log,
        _ => AuditTo::File(folder.join(&audit.file)),
    });
    Ok(Access {
        rules: Rules {
            users: users.collect::<Result<BTreeMap<_, _>, _>>()?,
            tokens,
            roles: roles.collect::<Result<_, _>>()?,
        },
        files,
        source: None,
        secret_paths: patterns("secret-paths", &file.secret_paths)?,
        audit,
        audit_reads: file.audit.as_ref().is_some_and(|audit| audit.reads),
        rate: file.limits.rate,
    })
}

fn user(name: &str, given: &file::User) -> Result<User, Problem> {
    let at = format!("users.{name}");
    if !is_persons_name(name) {
        let why = format!(
            "{name:?} is no name for a user: it is empty or long, has control characters, or is the author of what nodes do by themselves"
        );
        return Err(Problem::value("users", why));
    }
    check_hash(&given.password).map_err(|error| Problem::value(format!("{at}.password"), error))?;
    Ok(User { hash: given.password.clone(), groups: given.groups.iter().cloned().collect() })
}

fn token(
    at: &str,
    given: &file::Token,
    folder: &Path,
    files: &mut Vec<PathBuf>,
) -> Result<Issuer, Problem> {
    if given.issuer.is_empty() || given.audience.is_empty() {
        return Err(Problem::value(
            at,
            "`issuer` and `audience` say which tokens are meant for us",
        ));
    }
    let (key, path, read): (_, _, fn(&[u8]) -> _) = match (&given.key, &given.jwks, &given.secret) {
        (Some(path), None, None) => ("key", path, Keys::from_pem),
        (None, Some(path), None) => ("jwks", path, Keys::from_jwks),
        (None, None, Some(path)) => ("secret", path, Keys::from_secret),
        _ => return Err(Problem::value(at, "give one of `key`, `jwks` and `secret`")),
    };
    let (at, path) = (format!("{at}.{key}"), folder.join(path));
    let bytes = std::fs::read(&path);
    let bytes = bytes
        .map_err(|error| Problem::value(&at, format!("cannot read {}: {error}", path.display())))?;
    let keys = read(&bytes);
    let keys = keys.map_err(|error| Problem::value(&at, format!("{}: {error}", path.display())))?;
    files.push(path);
    Ok(Issuer {
        issuer: given.issuer.clone(),
        audience: given.audience.clone(),
        name: given.name.clone().unwrap_or_else(|| NAME.into()),
        groups: given.groups.clone().unwrap_or_else(|| GROUPS.into()),
        keys,
    })
}

fn role(name: &str, given: &file::Role) -> Result<Role, Problem> {
    let at = format!("roles.{name}");
    let may = given.may.iter().map(|word| right(&at, word)).collect::<Result<BTreeSet<_>, _>>()?;
    if may.is_empty() {
        return Err(Problem::value(format!("{at}.may"), "is missing: it says what the role gives"));
    }
    if given.users.is_empty() && given.groups.is_empty() {
        return Err(Problem::value(
            at,
            "`users` or `groups` has to say whose role it is; `*` is everybody's",
        ));
    }
    let targets = narrowed(&at, "targets", given.targets.as_deref())?;
    let tags = narrowed(&at, "tags", given.tags.as_deref())?;
    let paths = narrowed(&at, "paths", given.paths.as_deref())?;
    if may.contains(&Right::Operate) && !paths.is_empty() {
        let why = "operate is about whole targets; give it in a role without `paths`";
        return Err(Problem::value(format!("{at}.may"), why));
    }
    let globs = |all: &[String]| all.iter().map(Glob::new).collect();
    Ok(Role {
        name: name.to_owned(),
        may,
        users: globs(&given.users),
        groups: globs(&given.groups),
        targets: globs(targets),
        tags: tags.iter().cloned().collect(),
        paths: patterns(&format!("{at}.paths"), paths)?,
    })
}

/// What a role is narrowed down to. An empty list looks like nothing, and would be everything.
fn narrowed<'f>(at: &str, key: &str, given: Option<&'f [String]>) -> Result<&'f [String], Problem> {
    match given {
        Some([]) => Err(Problem::value(
            format!("{at}.{key}"),
            "is an empty list, with which the role would give nothing; leave it out for all of them, or remove the role",
        )),
        given => Ok(given.unwrap_or_default()),
    }
}

fn right(at: &str, word: &str) -> Result<Right, Problem> {
    let found = Right::ALL.into_iter().find(|right| right.name() == word);
    found.ok_or_else(|| {
        let known = Right::ALL.map(Right::name).join(", ");
        Problem::value(format!("{at}.may"), format!("`{word}` is not one of {known}"))
    })
}

fn patterns(at: &str, given: &[String]) -> Result<Vec<Pattern>, Problem> {
    let read = |(number, text): (usize, &String)| {
        text.parse().map_err(|error| Problem::value(format!("{at}[{number}]"), error))
    };
    given.iter().enumerate().map(read).collect()
}
