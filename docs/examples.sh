#!/usr/bin/env bash
# Writes docs/examples.md and its pictures. It measures on this machine, with the brokers
# at BROKERBENCH_NATS_URL and so on (make examples provides them), and takes about twenty
# minutes in which nothing else should run. EXAMPLES=short tries the script in two minutes,
# with windows that are too short for real figures.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tool=$PWD/.bin/brokerbench
page=$work/examples.md
long=(--duration 10s --warmup 2s) search=(--precision 10% --at-most 4m) four=()
[[ ${EXAMPLES:-} != short ]] || long=(--duration 1s --warmup 0s) search=(--duration 1s --confirm 1s --max 8000 --at-most 20s) four=("${long[@]}" --repeat 2)
nats=$BROKERBENCH_NATS_URL redis=$BROKERBENCH_REDIS_URL rabbitmq=$BROKERBENCH_RABBITMQ_URL kafka=$BROKERBENCH_KAFKA_URL
# The page shows the brokers' usual ports instead of those that they have here.
usual="s#$nats#nats://127.0.0.1:4222#; s#$redis#redis://127.0.0.1:6379#; s#$rabbitmq#amqp://guest:guest@127.0.0.1:5672#; s#$kafka#kafka://127.0.0.1:9092#g"

# A command to paste has neither a password nor the flags that only this script needs.
pasted="s#amqp://guest:xxxxx@[^' ]*#amqp://guest:guest@127.0.0.1:5672#g; s# --out results -q##g; s: [#] replace xxxxx by the password::"

# quoted prints words, quoted for the shell where needed.
quoted() {
  for word; do
    [[ $word == *[\<\>\?\&]* ]] && word="'$word'"
    printf ' %s' "$word"
  done
}

# example COMMAND... runs brokerbench and adds the command line and its output to the
# page. An exit code other than 0 is added too, and for codes 1, 2 and 5 standard error.
example() {
  local code=0 shown
  shown=$(quoted "$@" | sed "$usual; s# -q##; s# --out results##")
  echo "brokerbench$shown" >&2
  (cd "$work" && "$tool" "$@") >"$work/out" 2>"$work/err" || code=$?
  ((code == ${want:-0} || (code >= 3 && code <= 5))) || { cat "$work/err" >&2; exit 1; }
  {
    echo '```'
    echo "\$ brokerbench$shown"
    sed "/^files: /d; $usual; $pasted" "$work/out"
    ((code != 1 && code != 2 && code != 5)) || sed "$usual" "$work/err"
    ((code == 0)) || echo "(exit code $code)"
    echo '```'
    echo
  } >>"$page"
}

say() { printf '%s\n' "$@" >>"$page"; }

# newest NAME prints the folder of the newest run of that name.
newest() { (cd "$work" && printf "%s\n" results/*-"$1" | tail -n 1); }

cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
say "# How does the output look?" "" \
  "These are real commands with their output. \`make examples\` wrote this page on $(date -u +%F), with client and" \
  "brokers on $(nproc) shared cores ($cpu). To choose a broker, use [two machines](methodology.md#two-machines)."

say "" "## The first run" "" "Without a target, brokerbench starts a NATS server." ""
example run "${long[@]}" --out results -q

say "## Mistakes" "" "Each mistake is reported in one line, with its cause and a remedy:" ""
want=2 example run 127.0.0.1:4222 --rate 1,000
want=1 example run nats://127.0.0.1:1 "${long[@]}" --out results -q

say "## Four brokers" "" "3,000 messages a second, five repeats, with the brokers in turn:" ""
mkdir -p "$work/deploy/plans"
cp deploy/plans/four.yaml "$work/deploy/plans"
example run -f deploy/plans/four.yaml "${four[@]}" --out results -q
run=$work/$(newest four)
say "report.html begins like this:" "" "![The report of four brokers](pictures/report.png)" ""
"$(deploy/local/chromium)" --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1280,1500 \
  --virtual-time-budget=5000 --screenshot=docs/pictures/report.png "file://$run/report.html" 2>/dev/null
say "\`brokerbench compare\` with one run ranks its targets at each requested percentile:" ""
example compare "results/$(basename "$run")"
say "\`brokerbench plot percentiles\` draws the curves without a browser:" "" \
  "![Percentiles of four brokers](pictures/percentiles.svg)"
"$tool" plot percentiles "$run" --force -o docs/pictures/percentiles.svg

say "" "## One stall" "" \
  "The broker stands still for one second of ten. The first row sends on schedule. The second has one message in flight at a time, like" \
  "tools that wait for each reply: such a tool reports \`svc p99\`, which \`--details\` shows, but its callers waited \`p99\`." ""
stall() { sleep "$1"; deploy/local/brokers pause nats >/dev/null; sleep 1; deploy/local/brokers resume nats >/dev/null; }
stall 5 & stall 16 &
example run "$nats" --rate 1000 --in-flight open,1 --duration 10s --warmup 1s --floor off --percentiles 50,99 --out results -q
wait

say "## The same thing twice" "" "Four repeats, then four more of the same plan. Nothing changed, so compare should find no difference:" ""
for name in monday tuesday; do
  (cd "$work" && "$tool" run "$nats" --rate 3000 --repeat 4 "${long[@]}" --name $name --out results -q >/dev/null 2>&1) || test $? -eq 4
  ln -s "$(newest $name)" "$work/$name"
done
example compare monday tuesday --fail-on 'p99>10%'

say "## acks=1 against acks=all" "" \
  "Two targets of one run, measured in turn. They do not survive the same failures, so comparing them needs \`--unequal\`. No" \
  "difference is expected: a cluster of one broker has no replicas that acks=all could wait for." ""
(cd "$work" && "$tool" run "$kafka?acks=1" "$kafka?acks=all" --rate 1000 --repeat 3 "${long[@]}" --name acks --out results -q >/dev/null 2>&1) || test $? -eq 4
ln -s "$(newest acks)" "$work/acks"
want=1 example compare acks@kafka acks@kafka-2 --by shape
example compare acks@kafka acks@kafka-2 --by shape --unequal

say "## The rate that a latency allows" ""
example search "$rabbitmq" --slo 'p99<20ms' --size 1KiB "${search[@]}" --out results -q
say "Every probe is stored; \`brokerbench plot rate\` draws them." "" "![Rate and latency](pictures/rate.svg)"
"$tool" plot rate "$work/$(newest search)" --log --force -o docs/pictures/rate.svg

mv "$page" docs/examples.md
