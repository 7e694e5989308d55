//! One connection to each device, behind the Driver trait.
