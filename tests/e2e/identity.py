"""Who asks, for tests: hashes of passwords, tokens, and calls with either."""

import base64
import json
import subprocess
import time

import grpc
from cryptography.hazmat.primitives import hashes, hmac, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

from lab import BINARY, DEVICE_PASSWORD, PATIENCE

# What must be in no log. Words that nothing else has.
SECRETS = {
    "password": "correct-horse-battery",
    "shared": "shared-staple-of-more-than-thirty-two-bytes",
    "motd": "swordfish-on-the-banner",
    # What tests show that is wrong, and what devices are shown.
    "guess": "hunter2",
    "device": DEVICE_PASSWORD,
}
# What was issued in this run, and may be in no log either.
ISSUED = set()


def hashed(password):
    """A hash as operators make it."""
    done = subprocess.run([BINARY, "user", "hash"], input=password, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def encode(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


class Signer:
    """Issues tokens, in one of four ways."""

    def __init__(self, algorithm, secret=b""):
        self.algorithm, self.secret = algorithm, secret
        self.key = {
            "HS256": lambda: None,
            "RS256": lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048),
            "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
            "EdDSA": ed25519.Ed25519PrivateKey.generate,
        }[algorithm]()

    def public(self):
        """The public key, as PEM."""
        spki = serialization.PublicFormat.SubjectPublicKeyInfo
        return self.key.public_key().public_bytes(serialization.Encoding.PEM, spki)

    def jwk(self, kid):
        """The public key, as a member of a set."""
        public = self.key.public_key()
        number = lambda value, size=None: encode(value.to_bytes(size or (value.bit_length() + 7) // 8, "big"))
        if self.algorithm == "RS256":
            numbers = public.public_numbers()
            return {"kty": "RSA", "kid": kid, "n": number(numbers.n), "e": number(numbers.e)}
        if self.algorithm == "ES256":
            numbers = public.public_numbers()
            return {"kty": "EC", "crv": "P-256", "kid": kid, "x": number(numbers.x, 32), "y": number(numbers.y, 32)}
        raw = public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        return {"kty": "OKP", "crv": "Ed25519", "kid": kid, "x": encode(raw)}

    def sign(self, message):
        if self.algorithm == "HS256":
            mac = hmac.HMAC(self.secret, hashes.SHA256())
            mac.update(message)
            return mac.finalize()
        if self.algorithm == "RS256":
            return self.key.sign(message, padding.PKCS1v15(), hashes.SHA256())
        if self.algorithm == "EdDSA":
            return self.key.sign(message)
        r, s = utils.decode_dss_signature(self.key.sign(message, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    def token(self, header=None, **claims):
        """A token that is good, but for what is given."""
        good = {"iss": "sso", "aud": "lockstep", "sub": "alice", "exp": time.time() + 600}
        header = {"alg": self.algorithm, "typ": "JWT", **(header or {})}
        claims = {name: claim for name, claim in {**good, **claims}.items() if claim is not None}
        message = ".".join(encode(json.dumps(part).encode()) for part in (header, claims))
        token = f"{message}.{encode(self.sign(message.encode()))}"
        ISSUED.add(token)
        return token


def bearer(token):
    return [("authorization", f"Bearer {token}")]


def password(name, word):
    return [("username", name), ("password", word)]


def code(call):
    """The code that a call ends with."""
    try:
        call()
    except grpc.RpcError as error:
        return error.code()
    return grpc.StatusCode.OK
