#!/usr/bin/env bash
# Records the demo's three full-load runs on a Linux machine with PostgreSQL 15, contrib's pgbench and sysstat.
# Each run changes one thing against the one before it: the primary key of pgbench_accounts is dropped (1), restored
# (2), and then synchronous_commit is switched off for the database (3). The load is whatever four clients can do
# (no --rate): only so does the wait for the few rows of pgbench_branches show. Between a change and its run lie eleven
# minutes, in which the same load goes on for the last of them: a window that begins sooner is no fair one (C7).
#
#   usage: record-full-load.sh OUTPUT_FOLDER [SECONDS=120] [SCALE=10] [CLIENTS=4] [SETTLE=660]
#   needs: a PostgreSQL server the current user is superuser of (PGHOST, PGUSER ... as usual), with
#          shared_preload_libraries = 'pg_stat_statements', and TuneBench's own collection script as collect.sh in the
#          current folder (capture --duration 120 --probe postgresql.activity@2=tunebench_demo
#          postgresql.snapshots@30=tunebench_demo --script collect.sh)
set -euo pipefail
out=$1 seconds=${2:-120} scale=${3:-10} clients=${4:-4} settle=${5:-660}
export TZ=Asia/Seoul LC_ALL=C S_TIME_FORMAT=ISO
mkdir -p "$out"
collect=$PWD/collect.sh
database=tunebench_demo
dropdb --if-exists "$database"; createdb "$database"
psql -qX -d "$database" -c "create extension pg_stat_statements"
pgbench -q -i -s "$scale" "$database" 2>"$out/pgbench-init.txt"

record() {  # $1 = folder of the run
  local side=$out/$1
  sleep $((settle - 60))
  pgbench --client="$clients" --jobs=2 --time=60 "$database" >/dev/null 2>&1
  mkdir -p "$side"
  psql -qX -d "$database" -c "\\d pgbench_accounts" >"$side/pgbench_accounts.txt"
  psql -qX -d "$database" -c checkpoint -c 'select pg_stat_reset(), pg_stat_statements_reset()' >/dev/null
  { date --iso-8601=seconds; uname -srm; lscpu | sed -n '/^CPU(s)/p;/^Model name/p'; grep MemTotal /proc/meminfo
    psql -qXAt -d "$database" -c 'select version()'
    psql -qXAt -F ' = ' -d "$database" -c "select name, setting || coalesce(' ' || unit, '') from pg_settings
        where name in ('synchronous_commit', 'wal_writer_delay', 'fsync', 'shared_buffers') order by name"
    echo "pgbench --client=$clients --jobs=2 --time=$seconds --scale=$scale"; } >"$side/inventory.txt"
  local n=$((seconds + 4)); local pids=()
  iostat -xt 1 "$n" >"$side/iostat.txt" & pids+=($!)
  vmstat -wt 1 "$n" >"$side/vmstat.txt" & pids+=($!)
  sh "$collect" -d "$side" & pids+=($!)
  sleep 2
  (cd "$side" && pgbench --client="$clients" --jobs=2 --time="$seconds" --progress=1 --progress-timestamp \
      --report-per-command "$database" >pgbench.txt 2>pgbench-progress.txt)
  wait "${pids[@]}"
  unpack "$side" 5 pg_activity.txt; unpack "$side" 6 pg_snapshots.txt
  rm "$side"/tunebench-*.tar.gz
}
unpack() { tar -xzOf "$1"/tunebench-*.tar.gz --wildcards "*/000$2.out" >"$1/$3"; }

psql -qX -d "$database" -c 'alter table pgbench_accounts drop constraint pgbench_accounts_pkey' -c 'vacuum analyze'
record 1-without-key
psql -qX -d "$database" -c 'alter table pgbench_accounts add primary key (aid)' -c 'vacuum analyze'
record 2-with-key
psql -qX -d "$database" -c "alter database $database set synchronous_commit = off" -c 'vacuum analyze'
record 3-late-commit
dropdb "$database"
