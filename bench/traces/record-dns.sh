#!/bin/sh
# Record the two bundled traces of programs that use a timer library: two resolvers as Debian ships
# them, named (on libuv) and unbound (on libevent), each under the same load on loopback.
#
#   bench/traces/record-dns.sh TOOL [OUTPUT_FOLDER]
#
# TOOL is a built tarry-compare. The folder (default: this one) gets named-libuv.csv.gz and
# unbound-libevent.csv.gz. Takes a minute. Needs Debian's bind9, unbound and dnsperf; listens on
# loopback alone, ends what it started, and leaves no other file.
#
# Each resolver forwards two zones: alive.test to a server that answers, dead.test to one that never
# does. The clients ask over UDP and TCP for names that no cache holds, one in a hundred of them of
# dead.test; the TCP connections stay open.
set -eu

SECONDS_LONG=20
UDP_CLIENTS=100 UDP_QPS=250
TCP_CLIENTS=50 TCP_QPS=50
ALIVE_PORT=18053 DEAD_PORT=18054 RESOLVER_PORT=18055

fail() {
    echo "record-dns.sh: $*" >&2
    exit 3
}

here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] && [ $# -le 2 ] || { echo "usage: $0 TOOL [OUTPUT_FOLDER]" >&2; exit 2; }
tool=$1
output=${2:-$here}
[ -x "$tool" ] || fail "$tool: no such program"
for program in named unbound dnsperf dig gzip awk; do
    command -v "$program" >/dev/null || fail "$program is missing"
done

work=$(mktemp -d)
started=
finish() {
    for pid in $started; do kill "$pid" 2>/dev/null || true; done
    wait
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

# named_conf NAME PORT OPTIONS ZONES
named_conf() {
    mkdir "$work/$1"
    cat >"$work/$1.conf" <<CONF
options {
    directory "$work/$1";
    pid-file none; session-keyfile none; lock-file none;
    listen-on port $2 { 127.0.0.1; }; listen-on-v6 { none; };
    dnssec-validation no; qname-minimization off; empty-zones-enable no;
    $3
};
controls { };
$4
CONF
}
cat >"$work/alive.zone" <<ZONE
\$TTL 60
@ SOA ns hostmaster 1 3600 600 86400 60
@ NS ns
ns A 127.0.0.1
* A 192.0.2.1
ZONE
named_conf alive $ALIVE_PORT "recursion no;" \
    "zone \"alive.test\" { type primary; file \"$work/alive.zone\"; };"
named_conf dead $DEAD_PORT "recursion no; blackhole { any; };" ""
forward() {
    echo "zone \"$1.test\" { type forward; forward only; forwarders { 127.0.0.1 port $2; }; };"
}
named_conf resolver $RESOLVER_PORT "recursion yes; allow-query { any; };" \
    "$(forward alive $ALIVE_PORT) $(forward dead $DEAD_PORT)"
cat >"$work/unbound.conf" <<CONF
server:
    directory: "$work"
    chroot: ""
    username: ""
    pidfile: ""
    use-syslog: no
    logfile: "$work/unbound.log"
    interface: 127.0.0.1
    port: $RESOLVER_PORT
    do-not-query-localhost: no
    num-threads: 2
    module-config: "iterator"
    qname-minimisation: no
    local-zone: "test." nodefault
    incoming-num-tcp: 200
forward-zone:
    name: "alive.test."
    forward-addr: 127.0.0.1@$ALIVE_PORT
forward-zone:
    name: "dead.test."
    forward-addr: 127.0.0.1@$DEAD_PORT
remote-control:
    control-enable: no
CONF
awk 'BEGIN { for (i = 0; i < 200000; ++i)
    printf "n%d.%s.test A\n", i, i % 100 == 7 ? "dead" : "alive" }' >"$work/names"
tac "$work/names" >"$work/names-tcp"

# answers PORT NAME: it does, within some seconds
answers() {
    for i in 1 2 3 4 5 6 7 8 9 10; do
        [ -z "$(dig +short +time=1 +tries=1 -p "$1" @127.0.0.1 "$2" A 2>/dev/null)" ] || return 0
        sleep 0.3
    done
    return 1
}

for name in alive dead; do
    named -4 -f -n 1 -c "$work/$name.conf" >"$work/$name.log" 2>&1 &
    started="$started $!"
done
answers $ALIVE_PORT n.alive.test || fail "named does not answer: $(cat "$work/alive.log")"

# load MODE CLIENTS QPS NAMES
load() {
    dnsperf -f inet -m "$1" -s 127.0.0.1 -p $RESOLVER_PORT -c "$2" -Q "$3" -d "$4" \
        -l $SECONDS_LONG -q 2000 -t 8 >"$work/$1.txt" 2>&1
}

# counts OF: queries sent and completed over both
counts() {
    cat "$work/udp.txt" "$work/tcp.txt" | awk '/Queries sent/ { sent += $3 }
        /Queries completed/ { done += $3 } END { printf "%d queries, %d answered", sent, done }'
}

# record TARGET ABOUT COMMAND...: a resolver under the load, until it is told to end
record() {
    target=$1 about=$2
    shift 2
    rm -f "$work/trace.csv"
    "$tool" record --output "$work/trace.csv" -- "$@" 2>"$work/record.log" &
    recorder=$!
    started="$started $recorder"
    answers $RESOLVER_PORT first.alive.test || fail "$1 does not answer: $(cat "$work/record.log")"
    load udp $UDP_CLIENTS $UDP_QPS "$work/names" &
    udp=$!
    load tcp $TCP_CLIENTS $TCP_QPS "$work/names-tcp" || fail "dnsperf: $(cat "$work/tcp.txt")"
    wait $udp || fail "dnsperf: $(cat "$work/udp.txt")"
    kill $recorder
    wait $recorder || true
    [ -s "$work/trace.csv" ] || fail "nothing was recorded: $(cat "$work/record.log")"
    cat "$work/record.log" >&2
    {
        echo "# $about (2 threads) under $(dnsperf -h 2>&1 | awk '/^Version/ { print "dnsperf", $2 }')" \
            "on Linux $(uname -r), $(nproc) CPUs, $(date -u +%Y-%m-%d);" \
            "bench/traces/record-dns.sh: $(counts)"
        cat "$work/trace.csv"
    } | gzip -9n >"$work/new.csv.gz"
    mv "$work/new.csv.gz" "$output/$target"
}

record named-libuv.csv.gz "named $(named -v | awk '{ print $2 }')" \
    named -4 -f -n 2 -c "$work/resolver.conf"
record unbound-libevent.csv.gz "unbound $(unbound -V | awk 'NR == 1 { print $2 }')" \
    unbound -d -c "$work/unbound.conf"
ls -l "$output/named-libuv.csv.gz" "$output/unbound-libevent.csv.gz"
