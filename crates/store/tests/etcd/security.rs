//! TLS with certificates on both sides, and users with passwords.

use std::path::Path;
use std::process::Command;

use etcd_client::{Permission, PermissionType};
use lockstep_store::etcd::{Tls, User};
use lockstep_store::{Error, Etcd};

use crate::common::{get, insist, next, put, told, txn, watch, write};
use crate::server::{Cluster, Setup};

/// Runs openssl in a folder.
fn openssl(folder: &Path, args: &str) {
    let run = Command::new("openssl").args(args.split(' ')).current_dir(folder).output();
    let run = run.unwrap_or_else(|error| {
        panic!("openssl cannot be started ({error}): `scripts/setup test` installs it")
    });
    assert!(run.status.success(), "{args}: {}", String::from_utf8_lossy(&run.stderr));
}

/// Makes an authority, and a certificate of it for each name.
fn certificates(folder: &Path, names: &[&str]) {
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(
        folder,
        &format!("req -x509 {key} -keyout ca.key -out ca.pem -subj /CN=authority -days 2"),
    );
    let extensions =
        "subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth,clientAuth\n";
    std::fs::write(folder.join("extensions"), extensions).unwrap();
    for name in names {
        openssl(folder, &format!("req {key} -keyout {name}.key -out {name}.csr -subj /CN={name}"));
        openssl(
            folder,
            &format!(
                "x509 -req -in {name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
                 -extfile extensions -out {name}.pem"
            ),
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn certificates_are_shown_on_both_sides() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    certificates(folder.path(), &["server", "client"]);
    certificates(other.path(), &["client"]);
    let setup = Setup { tls: Some(folder.path().to_owned()), ..Setup::default() };
    let cluster = Cluster::start_with(1, &setup);
    let read = |folder: &Path, name: &str| std::fs::read(folder.join(name)).unwrap();
    let identity = |folder: &Path| Some((read(folder, "client.pem"), read(folder, "client.key")));
    let ca = read(folder.path(), "ca.pem");

    let mut options = cluster.options("tls");
    options.tls =
        Some(Tls { ca: ca.clone(), identity: identity(folder.path()), server_name: None });
    let store = insist(|| Etcd::open(&options)).await;
    let made = write(&store, &[put("a", "1")]).await;
    let mut feed = watch(&store, made).await;
    write(&store, &[put("a", "2")]).await;
    assert_eq!(told(&next(&mut feed).await), ["a=2"]);

    options.timeout = std::time::Duration::from_millis(250);
    for tls in [
        // No certificate, one of somebody else, an authority that did not sign theirs, no TLS.
        Some(Tls { ca: ca.clone(), identity: None, server_name: None }),
        Some(Tls { ca, identity: identity(other.path()), server_name: None }),
        Some(Tls {
            ca: read(other.path(), "ca.pem"),
            identity: identity(folder.path()),
            server_name: None,
        }),
        None,
    ] {
        options.tls = tls;
        let refused = Etcd::open(&options).await;
        assert!(matches!(refused, Err(Error::Unavailable { .. })), "{refused:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_gets_in_with_a_password() {
    let mut cluster = Cluster::start(1);
    let mut admin = cluster.raw(0).await;
    let ours = || Permission::new(PermissionType::Readwrite, "/net/").with_prefix();
    admin.user_add("root", "top", None).await.unwrap();
    admin.user_grant_role("root", "root").await.unwrap();
    admin.role_add("net").await.unwrap();
    admin.role_grant_permission("net", ours()).await.unwrap();
    admin.user_add("lockstep", "secret", None).await.unwrap();
    admin.user_grant_role("lockstep", "net").await.unwrap();
    admin.auth_enable().await.unwrap();

    let mut options = cluster.options("net");
    let user =
        |password: &str| Some(User { name: "lockstep".to_owned(), password: password.to_owned() });
    options.user = user("wrong");
    let refused = Etcd::open(&options).await;
    assert!(matches!(refused, Err(Error::Failed { .. })), "{refused:?}");
    options.user = None;
    let refused = Etcd::open(&options).await;
    assert!(matches!(refused, Err(Error::Failed { .. })), "{refused:?}");

    options.user = user("secret");
    let store = insist(|| Etcd::open(&options)).await;
    assert!(!format!("{options:?} {store:?}").contains("secret"));
    let made = write(&store, &[put("a", "1")]).await;
    let mut feed = watch(&store, made).await;
    write(&store, &[put("a", "2")]).await;
    assert_eq!(told(&next(&mut feed).await), ["a=2"]);

    // Tokens are forgotten with the process; we get another.
    cluster.member(0).restart();
    assert_eq!(&*get(&store, "a").await.unwrap().value, b"2");
    insist(|| txn(&store, &[], &[put("a", "3")])).await;
    assert_eq!(told(&next(&mut feed).await), ["a=3"]);

    // What is not ours is refused, and said to be.
    options.prefix = "other".to_owned();
    let refused = Etcd::open(&options).await;
    assert!(matches!(refused, Err(Error::Failed { .. })), "{refused:?}");
}
