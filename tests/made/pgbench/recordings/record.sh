#!/usr/bin/env bash
# Records the demo's real before/after on a Linux machine with PostgreSQL 15, contrib's pgbench and sysstat.
# The only change between the two runs is the primary key of pgbench_accounts: dropped (before), restored (after).
# The offered load is the same on both sides (pgbench --rate), so that CPU and disk figures may be compared.
#
#   usage: record.sh OUTPUT_FOLDER [SECONDS=660] [TPS=12] [SCALE=10]
#   needs: a PostgreSQL server the current user is superuser of (PGHOST, PGUSER ... as usual), with
#          shared_preload_libraries = 'pg_stat_statements'
set -euo pipefail
out=$1 seconds=${2:-660} tps=${3:-12} scale=${4:-10}
export TZ=Asia/Seoul LC_ALL=C S_TIME_FORMAT=ISO
mkdir -p "$out"
database=tunebench_demo
dropdb --if-exists "$database"; createdb "$database"
psql -qX -d "$database" -c "create extension pg_stat_statements"
pgbench -q -i -s "$scale" "$database" 2>"$out/pgbench-init.txt"

record() {  # $1 = before|after
  local side=$out/$1; mkdir -p "$side"
  psql -qX -d "$database" -c "\\d pgbench_accounts" >"$side/pgbench_accounts.txt"
  psql -qX -d "$database" -c checkpoint -c 'select pg_stat_reset(), pg_stat_statements_reset()' >/dev/null
  { date --iso-8601=seconds; uname -srm; lscpu | sed -n '/^CPU(s)/p;/^Model name/p'; grep MemTotal /proc/meminfo
    psql -qXAt -d "$database" -c 'select version()'
    echo "pgbench --rate=$tps --client=4 --jobs=2 --time=$seconds --scale=$scale"; } >"$side/inventory.txt"
  local n=$((seconds + 5)); local pids=()
  iostat -xt 1 "$n" >"$side/iostat.txt" & pids+=($!)
  vmstat -wt 1 "$n" >"$side/vmstat.txt" & pids+=($!)
  mpstat -P ALL 1 "$n" >"$side/mpstat.txt" & pids+=($!)
  sar -o "$side/sa.bin" 1 "$n" >/dev/null & pids+=($!)
  sleep 2
  (cd "$side" && pgbench --rate="$tps" --client=4 --jobs=2 --time="$seconds" --log --aggregate-interval=1 \
      --log-prefix=pgbench_log --progress=1 --progress-timestamp --report-per-command "$database" \
      >pgbench.txt 2>pgbench-progress.txt)
  psql -qX --csv -d "$database" -c "select s.queryid, s.query, s.calls, s.total_exec_time, s.rows, s.shared_blks_hit,
      s.shared_blks_read, s.shared_blks_dirtied, s.wal_bytes from pg_stat_statements s
      join pg_database d on d.oid = s.dbid and d.datname = current_database()
      order by s.total_exec_time desc" >"$side/pg_stat_statements.csv"
  wait "${pids[@]}"
  sar -u ALL -P ALL -q ALL -r ALL -S -b -B -w -W -d -v -n DEV -f "$side/sa.bin" >"$side/sar.txt"
  rm -f "$side/sa.bin"
  psql -qX --csv -d "$database" -c "select relname, seq_scan, seq_tup_read, idx_scan, idx_tup_fetch, n_tup_upd
      from pg_stat_user_tables order by relname" >"$side/pg_stat_user_tables.csv"
  psql -qX --csv -d "$database" -c "select relname, heap_blks_read, heap_blks_hit, idx_blks_read, idx_blks_hit
      from pg_statio_user_tables order by relname" >"$side/pg_statio_user_tables.csv"
}

psql -qX -d "$database" -c 'alter table pgbench_accounts drop constraint pgbench_accounts_pkey' -c 'vacuum analyze'
record before
psql -qX -d "$database" -c 'alter table pgbench_accounts add primary key (aid)' -c 'vacuum analyze'
record after
dropdb "$database"
