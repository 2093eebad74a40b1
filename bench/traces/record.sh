#!/bin/sh
# Record the two bundled traces: a real nginx under the load of load.c, on loopback, once as its
# access log saw it (each client's idle timeout) and once as the kernel's timer tracepoints did.
#
#   bench/traces/record.sh TOOL [OUTPUT_FOLDER]
#
# TOOL is a built tarry-compare, which imports both. The folder (default: this one) gets
# nginx-access.csv.gz and nginx-kernel.csv.gz. Takes about two minutes. Needs root (tracefs), cc and
# Debian's nginx-light; listens on loopback alone, ends what it started, and leaves no other file.
# With RAW=FOLDER the raw log and tracepoint text are kept there (some 200 MB).
set -eu

CLIENTS=1000
REQUESTS=105000
SECONDS_MAX=180
SEED=20260701
PORT=18080
KEEPALIVE_S=10
# What the kernel armed for the run itself: the timers of TCP sockets.
KERNEL_CLASSES='^(tcp_|reqsk_|tw_timer)'

fail() {
    echo "record.sh: $*" >&2
    exit 3
}

here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] && [ $# -le 2 ] || { echo "usage: $0 TOOL [OUTPUT_FOLDER]" >&2; exit 2; }
tool=$1
output=${2:-$here}
[ -x "$tool" ] || fail "$tool: no such program"
[ "$(id -u)" = 0 ] || fail "needs root, for the kernel's tracepoints"
for program in nginx cc gzip awk; do
    command -v "$program" >/dev/null || fail "$program is missing"
done
[ -d /sys/kernel/tracing/events/timer ] || mount -t tracefs nodev /sys/kernel/tracing ||
    fail "tracefs cannot be mounted"

work=$(mktemp -d)
trace= nginx_pid= reader_pid=
finish() {
    [ -z "$reader_pid" ] || kill "$reader_pid" 2>/dev/null || true
    [ -z "$nginx_pid" ] || kill "$nginx_pid" 2>/dev/null || true
    wait
    [ -z "$trace" ] || rmdir "$trace"
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

chmod 755 "$work"
mkdir "$work/pages" "$work/temp"
head -c 600 /dev/zero | tr '\0' s >"$work/pages/small.html"
head -c 8000 /dev/zero | tr '\0' m >"$work/pages/middle.html"
head -c 90000 /dev/zero | tr '\0' l >"$work/pages/large.html"
cat >"$work/nginx.conf" <<CONF
daemon off;
worker_processes 2;
pid $work/nginx.pid;
events { worker_connections 4096; }
http {
    log_format stamped '\$remote_addr - \$remote_user [\$time_local] "\$request" '
                       '\$status \$body_bytes_sent "\$http_referer" "\$http_user_agent" \$msec';
    access_log $work/access.log stamped;
    keepalive_timeout ${KEEPALIVE_S}s;
    client_body_temp_path $work/temp/body;
    proxy_temp_path $work/temp/proxy;
    fastcgi_temp_path $work/temp/fastcgi;
    uwsgi_temp_path $work/temp/uwsgi;
    scgi_temp_path $work/temp/scgi;
    server {
        listen 127.0.0.1:$PORT backlog=4096;
        root $work/pages;
    }
}
CONF
cc -std=c11 -D_GNU_SOURCE -O2 -o "$work/load" "$here/load.c" -lm || fail "load.c does not compile"

nginx -e "$work/error.log" -c "$work/nginx.conf" &
nginx_pid=$!
for i in 1 2 3 4 5 6 7 8 9 10; do
    [ ! -s "$work/nginx.pid" ] || break
    sleep 0.2
done
[ -s "$work/nginx.pid" ] || fail "nginx did not start: $(cat "$work/error.log")"

# A ring of its own in tracefs, so that nobody else's tracing is disturbed.
ring=/sys/kernel/tracing/instances/tarry-record
mkdir "$ring" || fail "no tracing instance"
trace=$ring
echo mono >"$trace/trace_clock"
echo 32768 >"$trace/buffer_size_kb"
for event in timer_start timer_cancel timer_expire_entry; do
    echo 1 >"$trace/events/timer/$event/enable"
done
cat "$trace/trace_pipe" >"$work/kernel.txt" &
reader_pid=$!

echo "record.sh: $REQUESTS requests from $CLIENTS clients, this takes a minute or two" >&2
result=$("$work/load" $PORT $CLIENTS $REQUESTS $SECONDS_MAX $SEED) ||
    fail "the load failed: $result"
echo "record.sh: $result" >&2
sleep $((KEEPALIVE_S + 2)) # the last idle timeouts pass

echo 0 >"$trace/tracing_on"
sleep 2 # the reader takes what is left in the ring
kill "$reader_pid"
wait "$reader_pid" 2>/dev/null || true
reader_pid=
lost=$(cat "$trace"/per_cpu/cpu*/stats |
    awk '/^(overrun|dropped events)/ { n += $NF } END { print n + 0 }')
[ "$lost" = 0 ] || echo "record.sh: the kernel lost $lost events" >&2
kill -QUIT "$nginx_pid"
wait "$nginx_pid" || true
nginx_pid=
if [ -n "${RAW:-}" ]; then cp "$work/access.log" "$work/kernel.txt" "$RAW"; fi

# counts TRACE
counts() {
    awk -F, '!/^#/ { ++n[$2] }
        END { printf "%d arms, %d re-arms, %d cancels, ", n["A"], n["R"], n["C"]
              printf "%d firings", n["F"] }' "$1"
}

# publish TRACE TARGET SOURCE CLASSES: with a line on how it was made; empty CLASSES keeps all
publish() {
    awk -F, -v classes="$4" '/^#/ || classes == "" || $5 ~ classes' "$1" >"$work/kept.csv"
    {
        echo "# $3 of $(nginx -v 2>&1 | sed 's/.*: //') (2 workers, keepalive_timeout" \
            "${KEEPALIVE_S}s) on Linux $(uname -r), $(nproc) CPUs, $(date -u +%Y-%m-%d);" \
            "bench/traces/record.sh, load.c with seed $SEED, $CLIENTS clients on loopback:"
        echo "# $result; $(counts "$work/kept.csv"); kernel events lost: $lost"
        cat "$work/kept.csv"
    } | gzip -9n >"$work/new.csv.gz"
    mv "$work/new.csv.gz" "$2"
}
"$tool" import "$work/access.log" --timeout "${KEEPALIVE_S}s" --output "$work/access.csv"
"$tool" import "$work/kernel.txt" --output "$work/kernel.csv"
publish "$work/access.csv" "$output/nginx-access.csv.gz" "The access log" ""
publish "$work/kernel.csv" "$output/nginx-kernel.csv.gz" \
    "The kernel's timer tracepoints during a run" "$KERNEL_CLASSES"
ls -l "$output/nginx-access.csv.gz" "$output/nginx-kernel.csv.gz"
