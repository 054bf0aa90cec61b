"""The text of the collection script, without what one plan puts into it (`tunebench.capture.offline_script` does).

POSIX sh; ``@NAME@`` is filled in. The first lines are also for the Bourne shell of Solaris 10, which goes on under a
POSIX shell. Nothing here needs perl.
"""

from __future__ import annotations

SCRIPT = r"""#!/bin/sh
# @TITLE@
# @PLAN_WORD@: @DIGEST@
@NOTES@
#   -d FOLDER   @HELP_FOLDER@
#   -n          @HELP_NO_PACK@

if test -z "$TUNEBENCH_SHELL"; then
  case `uname -s` in SunOS)
    for s in /usr/xpg4/bin/sh /bin/ksh; do
      if test -x $s; then TUNEBENCH_SHELL=$s; export TUNEBENCH_SHELL; exec $s "$0" "$@"; fi
    done;;
  esac
fi

NONCE=@NONCE@
DIGEST=@DIGEST@
HOST=@HOST@
DURATION=@DURATION@
NEEDED_KB=@NEEDED_KB@
umask 077
PATH=$PATH:@PATH@
TUNEBENCH=cap$NONCE
export PATH TUNEBENCH

PARENT_FOLDER=.
PACK=yes
FRONT=
while getopts d:nF: option; do
  case $option in
    d) PARENT_FOLDER=$OPTARG;;
    n) PACK=no;;
    F) FRONT=$OPTARG;;
    *) exit 2;;
  esac
done

# All that is started here is ended by a signal to the process group: the script must have one of its own.
group=`ps -o pgid= -p $$ 2>/dev/null` || group=
group=`echo $group`
if test -z "$FRONT" && test "$group" != "$$"; then
  detach=
  if command -v setsid >/dev/null 2>&1; then detach=setsid
  elif perl -e 1 >/dev/null 2>&1; then detach='perl -e setpgrp(0,0);exec@ARGV'
  fi
  if test -n "$detach"; then
    trap 'kill -15 $child' 1 2 15
    $detach ${TUNEBENCH_SHELL:-sh} "$0" "$@" -F $$ </dev/null & child=$!
    while :; do
      wait $child; status=$?
      kill -0 $child 2>/dev/null || exit $status
    done
  fi
  OWN_GROUP=no
else
  OWN_GROUP=yes
fi

case `date -u +%3N` in [0-9][0-9][0-9]) FRACTION=.%3N;; *) FRACTION=;; esac
now() { date -u +%Y-%m-%dT%H:%M:%S${FRACTION}Z; }
say() { printf '%s\n' "$*"; }
seconds() {
  t=`date +%s`
  case $t in *[!0-9]*|'') t=${SECONDS%%[.,]*};; esac
  t=${t:-0}
}
nap() { sleep .2 2>/dev/null || sleep 1; }

STARTED=`date -u +%Y%m%dT%H%M%SZ`
NAME=tunebench-@HOST_FILE@-$STARTED
cd "$PARENT_FOLDER" || exit 1
if test ! -w .; then say "@NOT_WRITABLE@ `pwd`" >&2; exit 1; fi
free=`(df -kP . 2>/dev/null || df -k .) | awk 'END { print $4 }'`
case $free in *[!0-9]*|'') free=;; esac
if test -n "$free" && test "$free" -lt $NEEDED_KB; then
  say "@NO_SPACE@ (`pwd`: $free KB < $NEEDED_KB KB)" >&2
  exit 1
fi
if test $PACK = no; then NAME=.; else mkdir -m 700 "$NAME" || exit 1; cd "$NAME" || exit 1; fi
WARNING=
ACTUAL=`uname -n`
case " @HOST_NAMES@ " in *" $ACTUAL "*) ;; *) WARNING=other_host; say "@OTHER_HOST@ $ACTUAL" >&2;; esac
echo $$ >pid
echo running >state
(@BOOT@) >boot

# Process ids below $1, from the oldest; awk of an old Unix takes variables only like this.
below() {
  UNIX95= ps -A -o pid= -o ppid= | awk '{ pid[NR] = $1; parent[$1] = $2 }
    END { for (n = 1; n <= NR; n++) { j = parent[pid[n]]
      for (i = 0; i < 99 && j != "" && j != root; i++) j = parent[j]
      if (j == root) print pid[n] } }' root=$1 -
}
# limit PID SECONDS FILE: ends a trial that takes too long; what it undoes is not cut off.
limit() {
  seconds; until=$((t+$2))
  while kill -0 $1 2>/dev/null; do
    if test $t -ge $until; then
      printf '\n@trial limit %s\n' $2 >>$3
      found=`below $1`
      kill -15 $1 $found 2>/dev/null
      n=0
      while test $n -lt 5; do sleep 1; n=$((n+1)); done
      for p in $found; do kill -9 $p 2>/dev/null; done
      return
    fi
    sleep 1
    seconds
  done
}

# run FILE ID INTERVAL KIND COUNT BLOCKS TEXT LIMIT: one start of a command, framed as in a live capture.
rounds() {
  seconds; begun=$t; i=0
  while :; do
    printf '@tunebench at %s\n' "`now`"
    (eval "$2"); status=$?
    i=$((i+1))
    test $i -ge $1 && break
    case $status in 126|127) break;; esac
    seconds
    sleep $(($3-(t-begun)%$3))
  done
  return $status
}
run() {
  exec >>$1 2>>$1.err
  printf '@tunebench %s begin id=%s pid=%s interval=%s utc=%s local=%s zone=%s\n' \
    $NONCE "$2" $$ $3 "`now`" "`date +%Y-%m-%dT%H:%M:%S`" "`date +%Z`"
  (
    trap - 15
    test $6 -gt 0 && ulimit -f $6
    case $4 in
      loop) rounds $5 "$7" $3;;
      once) rounds 1 "$7" 1;;
      trial) u() { now; }; @TRIAL_WORDS@ printf '@tunebench at %s\n' "`now`"; eval "$7"; z; exit 0;;
      *) eval "$7";;
    esac
  ) </dev/null & tool=$!
  echo $tool >$1.pid
  if test -n "$8"; then limit $tool $8 $1 </dev/null >/dev/null 2>&1 & fi
  wait $tool 2>/dev/null; status=$?
  rm -f $1.pid
  test $status -gt 256 && status=$((status%128+128))
  printf '\n@tunebench %s end exit=%s utc=%s\n' $NONCE $status "`now`"
  times
  printf '@tunebench %s over\n' $NONCE
  test $status -gt 128 && test -n "$6" && test $6 -gt 0 && test `wc -c <$1` -ge $(($6*512)) && echo $1 >>limit
  return 0
}
at_once() { (trap '' 1 2 15; run "$@"); }
background() { (trap '' 1 2 15; run "$@"; echo done >$1.done) & }
beside() { background "$@"; started="$started $1"; }
without_end() { background "$@"; endless="$endless $1"; }

started=
endless=
STATE=complete
trap 'STATE=stopped' 1 2 15
say "@STARTING@"
@AT_START@
@STREAMS@
@TRIALS@
running() {
  left=0
  for f in $started; do test -f $f.done || left=$((left+1)); done
  test $left -gt 0
}
finish() {
  trap '' 1 2 15
  started="$started $endless"
  if test $OWN_GROUP = yes; then kill -15 0
  else for f in *.pid; do test -f $f && kill -15 `cat $f` 2>/dev/null; done
  fi
  n=0
  while running && test $n -lt 15; do nap; n=$((n+1)); done
  for f in *.pid; do test -f $f && kill -9 `cat $f` 2>/dev/null; done
  n=0
  while running && test $n -lt 10; do nap; n=$((n+1)); done
}
tell() { told=$passed; say "@PROGRESS@ $passed / $DURATION s${over:+, $over}"; }
seconds; first=$t; told=0; passed=0; over=
while { running || test $passed -lt @HOLD@; } && test $STATE = complete && test $passed -lt $((DURATION+@GRACE@)); do
  test -f trials.done && break
  sleep 1
  seconds
  if test $t -gt $first; then passed=$((t-first)); else passed=$((passed+1)); fi
  if test -n "$FRONT" && test "$FRONT" != 0; then kill -0 $FRONT 2>/dev/null || STATE=stopped; fi
  last=$over
  test -s trials.over && over=`cat trials.over`
  if test $((passed-told)) -ge 30 || test "$over" != "$last"; then tell; fi
done
finish
@AT_END@
@PULLS@
test -f limit && WARNING="$WARNING limit_reached"

# The manifest is written last: an archive without its last line is not whole.
check() { set -- `cksum <$1`; printf '%s\t%s' $2 $1; }
row() { printf '%s\t%s\t%s\t%s\n' $1 $2 "`check $2`" "$3"; }
file() {
  test -f $1 && row file $1 "$2"
  test -s $1.err && row stderr $1.err "$2"
}
{
  printf 'tunebench-archive\t1\n'
  printf 'plan\t%s\nnonce\t%s\nhost\t%s\nhostname\t%s\n' $DIGEST $NONCE "$HOST" "$ACTUAL"
  printf 'started\t%s\nended\t%s\nstate\t%s\n' $STARTED `date -u +%Y%m%dT%H%M%SZ` $STATE
  for w in $WARNING; do printf 'warning\t%s\n' $w; done
@FILES@
  printf 'end\n'
} >manifest
rm -f *.done *.over *.pid *.path pid boot
cat >plan.json <<'@PLAN_END@'
@PLAN@
@PLAN_END@
if test $PACK = no; then test -f limit && echo limit >state || echo ended >state; exit 0; fi
rm -f state limit
for f in *.err; do test -s $f || rm -f $f; done
cd ..
ARCHIVE=$NAME.tar
if command -v gzip >/dev/null 2>&1; then
  ARCHIVE=$NAME.tar.gz
  tar cf - "$NAME" | gzip -c >"$ARCHIVE"
else
  tar cf "$ARCHIVE" "$NAME"
fi
status=$?
if test $status -ne 0 || test ! -s "$ARCHIVE"; then say "@PACK_FAILED@ `pwd`/$NAME" >&2; exit 1; fi
rm -rf "$NAME"
say "@SEND@"
say "  `pwd`/$ARCHIVE"
exit 0
"""
