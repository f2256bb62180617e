# shellcheck shell=bash
# Kafka: the jars from Maven Central that kafka/pom.xml names, as processes that are
# broker and controller at once (KRaft). The jars are not part of the state: they stay in the cache.

kafka_units() { echo kafka; }
kafka_shared() { :; }
kafka_ports() { echo plain front tls controller internal; }

kafka_pom=$here/kafka/pom.xml
kafka_release=$(sed -n 's:.*<kafka.version>\(.*\)</kafka.version>.*:\1:p' "$kafka_pom")
kafka_jars=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/brokerbench/kafka-$kafka_release

kafka_install() { need_jars "$kafka_jars" "$kafka_pom" "$kafka_release"; }

kafka_configure() {
  local isr=$(((nodes + 1) / 2)) # a majority
  cp "$here/kafka/log4j2.xml" "$dir/" || return
  [[ -e $home/cluster.id ]] || kafka_random_id >"$home/cluster.id"
  kafka_start_script >"$dir/start.sh"
  cat >"$dir/server.properties" <<EOF
process.roles=broker,controller
node.id=$index
controller.quorum.voters=$(kafka_voters)
listeners=PLAINTEXT://$listen:$(port plain),SASL_SSL://$listen:$(port tls),CONTROLLER://$(address controller),INTERNAL://$(address internal)
advertised.listeners=PLAINTEXT://${BROKERBENCH_KAFKA_HOST:-$(host "$(front_of plain)")}:$(port "$(front_of plain)"),SASL_SSL://$(address tls),INTERNAL://$(address internal)
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL,CONTROLLER:PLAINTEXT,INTERNAL:PLAINTEXT
controller.listener.names=CONTROLLER
inter.broker.listener.name=INTERNAL
log.dirs=${data:-$dir}/logs

sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512
listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_$tls_user="$tls_password";
listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.sasl_ssl.ssl.keystore.type=PEM
listener.name.sasl_ssl.ssl.keystore.location=$state/tls/server.all

auto.create.topics.enable=false
default.replication.factor=$nodes
min.insync.replicas=$isr
offsets.topic.replication.factor=$nodes
offsets.topic.num.partitions=1
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=$nodes
transaction.state.log.min.isr=$isr
share.coordinator.state.topic.num.partitions=1
share.coordinator.state.topic.replication.factor=$nodes
share.coordinator.state.topic.min.isr=$isr
group.initial.rebalance.delay.ms=0
group.share.min.heartbeat.interval.ms=1000
group.share.heartbeat.interval.ms=1000
message.max.bytes=4194304
log.segment.delete.delay.ms=1000
log.retention.check.interval.ms=1000
log.initial.task.delay.ms=1000
broker.session.timeout.ms=4000
broker.heartbeat.interval.ms=1000
EOF
  # A request for the markers of transactions sometimes goes unanswered (decision 261). No
  # transaction ends until it is repeated: after 5 s, not 30 s.
  ((nodes > 1)) || echo request.timeout.ms=5000 >>"$dir/server.properties"
}

kafka_voters() {
  local each list=
  for ((each = 1; each <= nodes; each++)); do
    list+=,$each@$(node "$each" && address controller)
  done
  echo "${list#,}"
}

# An id is 16 bytes in base64. It must not begin with -, which would be an option.
kafka_random_id() { head -c 16 /dev/urandom | base64 | tr '+/' 'AB' | tr -d '='; }

# kafka_start_script prints the script that becomes the broker. SCRAM users can be
# made before there is a broker only while formatting its log folder. The garbage
# collector is set as Kafka's own start script does.
kafka_start_script() {
  cat <<EOF
#!/bin/bash
java=(java -cp '$classes' '-Dlog4j2.configurationFile=$dir/log4j2.xml')
config='$dir/server.properties'
cd '${data:-$dir}' || exit
if [[ ! -e formatted ]]; then
  rm -rf logs
  "\${java[@]}" -XX:TieredStopAtLevel=1 kafka.tools.StorageTool format -c "\$config" -t '$(<"$home/cluster.id")' \\
    --add-scram 'SCRAM-SHA-256=[name=$tls_user,password=$tls_password]' \\
    --add-scram 'SCRAM-SHA-512=[name=$tls_user,password=$tls_password]' || exit
  touch formatted
fi
exec "\${java[@]}" -Xmx$((nodes == 1 ? 512 : 384))m -server -XX:+UseG1GC -XX:MaxGCPauseMillis=20 -XX:InitiatingHeapOccupancyPercent=35 \\
  -XX:+ExplicitGCInvokesConcurrent \${KAFKA_OPTS-} kafka.Kafka "\$config"
EOF
}

kafka_launch() { alive kafka || spawn kafka bash start.sh; }

# Before it serves itself, a broker listens but is not among those that serve. Over TLS,
# before the password, only ApiVersions v0 is answered: with our id, 7, and no error.
kafka_answers() {
  local versions='\x00\x00\x00\x0a\x00\x12\x00\x00\x00\x00\x00\x07\x00\x00'
  local answer
  kafka_serving | grep -q "$(printf '%08x' "$(port "$(front_of plain)")")" || return
  answer=$(talk_tls "$(port tls)" 10 "$versions")
  [[ ${answer:8} == 000000070000 ]]
}

# kafka_serving prints, in hexadecimal, the brokers that serve: their number, then each
# with its port. It is the answer to Metadata v1 of no topics, without our id.
kafka_serving() {
  local metadata='\x00\x00\x00\x0e\x00\x03\x00\x01\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00'
  talk_sized "$(port plain)" "$metadata" | cut -c 9-
}

# Nodes are a cluster when each knows that all serve.
kafka_formed() { each_node kafka_joined; }
kafka_joined() { kafka_serving | grep -q "^$(printf '%08x' "$nodes")"; }

kafka_url() { echo "kafka://$1"; }
kafka_tls_url() { echo "kafka+tls://$tls_login@$1?$tls_option&sasl=scram-sha-512"; }
kafka_other_urls() { :; }
kafka_version() { echo "$kafka_release"; }
