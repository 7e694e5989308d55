//! A gNMI device driven by any YANG models, with faults on demand.
