#!/usr/bin/env bash
# Makes docs/examples.md and the pictures beside it, on this machine and with the
# brokers that BROKERBENCH_NATS_URL and so on name (make examples provides them). It
# takes about ten minutes; nothing else should run meanwhile. EXAMPLES=short tries it
# out in two, with windows that are too short for anything else.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tool=$PWD/.bin/brokerbench
page=$work/examples.md
long=(--duration 10s --warmup 2s) search=(--duration 3s --confirm 5s --precision 10%)
[[ ${EXAMPLES:-} != short ]] || long=(--duration 1s --warmup 0s) search=(--duration 1s --confirm 1s --max 8000)
nats=$BROKERBENCH_NATS_URL rabbitmq=$BROKERBENCH_RABBITMQ_URL kafka=$BROKERBENCH_KAFKA_URL
# The brokers' usual ports stand for those that they have here.
usual="s#$nats#nats://127.0.0.1:4222#; s#$rabbitmq#amqp://guest:guest@127.0.0.1:5672#; s#$kafka#kafka://127.0.0.1:9092#g"

# quoted prints words as a shell takes them.
quoted() {
  for word; do
    [[ $word == *[\<\>\?\&]* ]] && word="'$word'"
    printf ' %s' "$word"
  done
}

# example COMMAND... shows a command line and what it prints, without the brokers'
# ports; if its exit code is not 0, that too, and what it says on standard error.
example() {
  local code=0 shown
  shown=$(quoted "$@" | sed "$usual; s# -q##; s# --out results##")
  echo "brokerbench$shown" >&2
  (cd "$work" && "$tool" "$@") >"$work/out" 2>"$work/err" || code=$?
  ((code == ${want:-0} || (code >= 3 && code <= 5))) || { cat "$work/err" >&2; exit 1; }
  {
    echo '```'
    echo "\$ brokerbench$shown"
    sed "/^files: /d; $usual" "$work/out"
    ((code != 1 && code != 5)) || sed "$usual" "$work/err"
    ((code == 0)) || echo "(exit code $code)"
    echo '```'
    echo
  } >>"$page"
}

say() { printf '%s\n' "$@" >>"$page"; }

# newest NAME prints the folder of the newest run of that name.
newest() { (cd "$work" && printf "%s\n" results/*-"$1" | tail -n 1); }

cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
say "# Examples" "" \
  "Made by \`make examples\` on $(date -u +%F): client and brokers share $(nproc) cores ($cpu). They show what the" \
  "commands print; to choose a broker by, use two machines ([methodology.md](methodology.md))."

say "" "## The quick plan: four brokers, five configurations" "" \
  "\`brokerbench run -f deploy/plans/quick.yaml\` ends with report.html, which begins like this:" "" \
  "![The report of the quick plan](pictures/report.png)" ""
(cd "$work" && "$tool" run -f "$OLDPWD/deploy/plans/quick.yaml" --out results -q >/dev/null 2>&1) || test $? -eq 4
run=$work/$(newest quick)
"$(deploy/local/chromium)" --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1360,1860 \
  --virtual-time-budget=5000 --screenshot=docs/pictures/report.png "file://$run/report.html" 2>/dev/null
say "\`brokerbench plot percentiles\` draws the same without a browser:" "" \
  "![Percentiles of four brokers](pictures/percentiles.svg)"
rm -f docs/pictures/percentiles.svg
"$tool" plot percentiles "$run"/cells/*-3000-1024B-* --log -o docs/pictures/percentiles.svg

say "" "## The same thing twice" "" "Five repeats, and five repeats of the same again:" ""
for name in monday tuesday; do
  (cd "$work" && "$tool" run "$nats" --rate 3000 --repeat 5 "${long[@]}" --name $name --out results -q >/dev/null 2>&1) || test $? -eq 4
  ln -s "$(newest $name)" "$work/$name"
done
example compare monday tuesday --fail-on 'p99>10%'

say "## acks=1 against acks=all" "" \
  "Two targets of one run, measured by turns. What survives a failure is not equal, so it takes \`--force\`; a cluster of one" \
  "broker has no replicas that acks=all could wait for:" ""
(cd "$work" && "$tool" run "$kafka?acks=1" "$kafka?acks=all" --rate 1000 --repeat 5 "${long[@]}" --name acks --out results -q >/dev/null 2>&1) || test $? -eq 4
ln -s "$(newest acks)" "$work/acks"
want=1 example compare acks@kafka acks@kafka-2 --by shape
example compare acks@kafka acks@kafka-2 --by shape --force

say "## Acceptable latency → rate" ""
example search "$rabbitmq" "$kafka" --slo 'p99<10ms' --slo 'p99<50ms' --size 1KiB "${search[@]}" --out results -q
say "Every probe is kept: \`brokerbench plot rate\` draws them." "" "![Rate and latency](pictures/rate.svg)"
rm -f docs/pictures/rate.svg
"$tool" plot rate "$work/$(newest search)" --log -o docs/pictures/rate.svg

mv "$page" docs/examples.md
