#!/bin/sh
# Makes the certificates of the TLS tests anew: an authority, a device `leaf1`, and a client, for a
# hundred years. Their keys are worth nothing: they are in the open.
set -eu
cd "$(dirname "$0")"
days=36500
authority() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days $days \
        -subj "/CN=$1" -addext "basicConstraints=critical,CA:TRUE" -keyout "$1.key" -out "$1.pem"
}
signed() {
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" \
        -keyout "$1.key" -out "$1.csr"
    printf 'subjectAltName=DNS:%s\nbasicConstraints=CA:FALSE\n' "$1" > "$1.ext"
    openssl x509 -req -in "$1.csr" -CA authority.pem -CAkey authority.key -CAcreateserial \
        -days $days -extfile "$1.ext" -out "$1.pem"
    rm "$1.csr" "$1.ext"
}
authority authority
authority stranger
signed leaf1
signed client
rm authority.srl authority.key stranger.key
