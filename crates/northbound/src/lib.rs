//! What clients meet: gNMI, the admin API, HTTP.
