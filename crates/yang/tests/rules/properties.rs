//! Laws that hold for all values.
use std::time::Instant;
#[test]
fn timing() {
    let Some(set) = crate::openconfig::load() else { return };
    let op = crate::common::update(
        "/interfaces/interface[name=Ethernet1\\/7]/config/mtu",
        serde_json::json!(1500),
    );
    for _ in 0..5 {
        let b = Instant::now();
        set.edit(&[op.clone()]).unwrap();
        println!("edit {:?}", b.elapsed());
    }
    let b = Instant::now();
    for i in 0..100 {
        set.check(&crate::common::path(&format!("/interfaces/interface[name=x{i}]"))).unwrap();
    }
    println!("100 checks {:?}", b.elapsed());
}
