# Read by the shell that runs a page, before anything of the page.

# Devices of these names and a node in front of them, where pages have them. What else the node is to be told is read
# from standard input.
lab() {
    lockstep sim --models models/lab --listen 127.0.0.1:57400 --count $# > devices.log 2>&1 &
    {
        printf '%s\n' 'node: n1' 'listen: 127.0.0.1:9339' 'http: 127.0.0.1:9340' 'insecure: true'
        printf '%s\n' 'models: {lab-1.0: ./models/lab, lab-2.0: ./models/lab}' 'targets:'
        local first=127.0.0.1:57400 name
        local port=${first##*:}
        for name; do
            printf '  %s: {address: "127.0.0.1:%s", insecure: true, model: lab-1.0}\n' "$name" "$((port++))"
        done
        cat
    } > lockstep.yaml
    start lockstep.yaml 127.0.0.1:9339
}

# start FILE ADDRESS: a node, once it listens there.
start() {
    lockstep serve --config "$1" > "node-$1.log" 2>&1 &
    NODE=$!
    until (: > "/dev/tcp/${2/://}") 2> /dev/null; do
        kill -0 "$NODE"
        sleep 0.05
    done
}

# Ends the node.
stop() {
    kill "$NODE"
    wait "$NODE"
}

# What make and Cargo do is what runs this very test: here it is enough that there are such targets.
make() { command make --no-print-directory --dry-run -C "$ROOT" "$@" > make.log; }
cargo() { command cargo "$1" --help > cargo.log; }

# A refusal over HTTP is a failure, as everywhere.
curl() { command curl --silent --show-error --fail-with-body "$@"; }
