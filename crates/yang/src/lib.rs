//! Model sets: schema, data in and out, verdicts. The only room that knows libyang.
