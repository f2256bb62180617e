# shellcheck shell=bash
# Pulsar: the jars from Maven Central that pulsar/pom.xml names, as one process that is broker, bookie
# and metadata store. The jars are not part of the state: they stay in the cache.

pulsar_units() { echo pulsar; }
pulsar_shared() { :; }
pulsar_ports() { echo plain front http bookie; }

pulsar_pom=$here/pulsar/pom.xml
pulsar_release=$(sed -n 's:.*<pulsar.version>\(.*\)</pulsar.version>.*:\1:p' "$pulsar_pom")
pulsar_jars=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/brokerbench/pulsar-$pulsar_release

pulsar_install() { need_jars "$pulsar_jars" "$pulsar_pom" "$pulsar_release, 235 MB"; }

# PULSAR_CONF may name a file with more settings.
#
# The bookie takes its settings from the same file. Without allowEphemeralPorts it draws a port by
# itself, and after a restart another one: its ledgers would belong to a bookie that is gone.
pulsar_configure() {
  cat >"$dir/standalone.conf" <<EOF
clusterName=standalone
bindAddress=$listen
advertisedAddress=$listen
brokerServicePort=$(port plain)
webServicePort=$(port http)
managedLedgerDefaultEnsembleSize=1
managedLedgerDefaultWriteQuorum=1
managedLedgerDefaultAckQuorum=1
managedLedgerCacheSizeMB=64
numHttpServerThreads=8

allowLoopback=true
listeningInterface=lo
allowEphemeralPorts=true
journalSyncData=$(pulsar_syncs)
dbStorage_writeCacheMaxSizeMb=32
dbStorage_readAheadCacheMaxSizeMb=32
EOF
  [[ -z ${PULSAR_CONF-} ]] || cat "$PULSAR_CONF" >>"$dir/standalone.conf"
}

# By default the bookie syncs its journal before it acknowledges, as in Pulsar's own standalone.conf.
pulsar_syncs() { if [[ ${durability:-machine} == machine ]]; then echo true; else echo false; fi; }

pulsar_launch() {
  local opens=() each
  for each in java.base/{java.lang,java.nio,java.util.zip,jdk.internal.misc,sun.net} java.management/sun.management jdk.management/com.sun.management.internal; do
    opens+=(--add-opens "$each=ALL-UNNAMED")
  done
  alive pulsar || spawn pulsar java -Xmx512m -XX:MaxDirectMemorySize=512m -XX:+UseG1GC -XX:MaxGCPauseMillis=10 \
    -Dio.netty.tryReflectionSetAccessible=true "${opens[@]}" -cp "$pulsar_jars/*" org.apache.pulsar.PulsarStandaloneStarter \
    --config standalone.conf --metadata-dir "${data:-$dir}/metadata" --bookkeeper-dir "${data:-$dir}/bookkeeper" \
    --bookkeeper-port "$(port bookie)" --advertised-address "$listen" --no-functions-worker --no-stream-storage
}

# The namespace of the adapter's topics is made last.
pulsar_answers() { [[ $(http "$(port http)" /admin/v2/namespaces/public) == *public/default* ]]; }

pulsar_formed() { :; }
pulsar_url() { echo "pulsar://$1"; }
pulsar_tls_url() { :; }
pulsar_other_urls() { :; }
pulsar_version() { echo "$pulsar_release"; }
