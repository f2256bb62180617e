#!/usr/bin/env bash
# Runs verify again and again beside a compiling machine, and counts its answers:
# make verify-busy RUNS=20. Noise must never make it disagree.
set -euo pipefail
cd "$(dirname "$0")/../.."
runs=${RUNS:-20}
scratch=$(mktemp -d)
loops=()

end() {
  for pid in "${loops[@]}"; do kill -- "-$pid" 2>/dev/null || true; done
  wait || true
  rm -rf "$scratch"
}
trap end EXIT

go build -o "$scratch/brokerbench" ./cmd/brokerbench
set -m # each loop has its own process group, which ends as a whole
for n in 1 2; do
  (while :; do GOCACHE="$scratch/cache$n" go build -a ./... || sleep 1; done) >/dev/null 2>&1 &
  loops+=($!)
done
set +m

declare -A answers=([agrees]=0 [disagrees]=0 [inconclusive]=0 [failed]=0)
for ((run = 1; run <= runs; run++)); do
  code=0
  "$scratch/brokerbench" verify ${DURATION:+--duration "$DURATION"} >"$scratch/out" 2>/dev/null || code=$?
  case $code in
    0) answer=agrees ;;
    1) answer=disagrees ;;
    6) answer=inconclusive ;;
    *) answer=failed ;;
  esac
  answers[$answer]=$((answers[$answer] + 1))
  echo "$run: $answer; load $(cut -d' ' -f1 /proc/loadavg); $(tail -n 1 "$scratch/out")"
  if [[ $answer != agrees ]]; then grep -E 'disagrees:|inconclusive,' "$scratch/out" | sort | uniq -c || true; fi
done
echo "$runs runs: ${answers[agrees]} agree, ${answers[disagrees]} disagree, ${answers[inconclusive]} inconclusive, ${answers[failed]} failed"
[[ ${answers[disagrees]} == 0 && ${answers[failed]} == 0 ]]
