//! Messages on the wire, with little held for a call on which nothing happens.
//!
//! A subscription may be quiet for days, and a node has one to each device: with the buffers that are usual, most of
//! what a target costs would be room for messages that do not come. A message that needs more gets it.

use std::marker::PhantomData;

use prost::Message;
use tonic::codec::{BufferSettings, Codec};
use tonic_prost::{ProstCodec, ProstDecoder, ProstEncoder};

/// What is set aside for a call in each direction.
const BUFFER: usize = 512;
/// So much of many messages is sent at a time.
const AT_A_TIME: usize = 32 << 10;

fn settings() -> BufferSettings {
    BufferSettings::new(BUFFER, AT_A_TIME)
}

/// How messages are written and read.
#[derive(Clone, Debug)]
pub struct Lean<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for Lean<T, U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T, U> Codec for Lean<T, U>
where
    T: Message + Send + 'static,
    U: Message + Default + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = ProstEncoder<T>;
    type Decoder = ProstDecoder<U>;

    fn encoder(&mut self) -> Self::Encoder {
        ProstCodec::<T, U>::raw_encoder(settings())
    }

    fn decoder(&mut self) -> Self::Decoder {
        ProstCodec::<T, U>::raw_decoder(settings())
    }
}
