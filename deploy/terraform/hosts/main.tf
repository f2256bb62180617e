# Addresses in, URLs and agents for brokerbench out. It makes nothing and
# needs no provider, so it serves machines of any cloud, and of none.

terraform {
  required_version = ">= 1.9" # validations name other variables
}

locals {
  # An address of IPv6 stands in brackets within a URL.
  at = { for a in distinct(concat(var.agents, values(var.brokers), values(var.ssh))) : a => strcontains(a, ":") ? "[${a}]" : a }

  user = var.user == "" ? "" : "${var.user}@"
  port = var.port == 22 ? "" : ":${var.port}"

  ssh    = { for a, at in local.at : a => "ssh://${local.user}${at}${local.port}" }
  agents = [for a in var.agents : local.ssh[a]]

  # The URL of each broker; %s is the address.
  urls = {
    nats            = "nats://%s:4222"
    redis           = "redis://%s:6379"
    rabbitmq        = "amqp://guest:guest@%s:5672"
    rabbitmq-stream = "rabbitmq-stream://guest:guest@%s:5552"
    amqp1           = "amqp1://guest:guest@%s:5672"
    kafka           = "kafka://%s:9092"
  }
  targets = { for name, a in var.brokers : name => format(local.urls[name], local.at[a]) }

  # Each with the settings of deploy/local/containers.yaml. Kafka tells clients its address.
  docker = ["docker", "run", "--network", "host"]
  kafka  = lookup(local.at, lookup(var.brokers, "kafka", ""), "")
  containers = {
    nats     = ["nats:2.11.6-alpine", "-js", "-sd", "/data"]
    redis    = ["redis:8.0.3", "redis-server", "--save", "", "--protected-mode", "no"]
    rabbitmq = ["rabbitmq:4.0.9"]
    amqp1    = ["rabbitmq:4.0.9"]
    kafka = concat(flatten([for name, value in {
      CLUSTER_ID                                     = "brokerbench0000000000A"
      KAFKA_NODE_ID                                  = "1"
      KAFKA_PROCESS_ROLES                            = "broker,controller"
      KAFKA_CONTROLLER_QUORUM_VOTERS                 = "1@127.0.0.1:9091"
      KAFKA_LISTENERS                                = "CLIENT://:9092,CONTROLLER://127.0.0.1:9091"
      KAFKA_ADVERTISED_LISTENERS                     = "CLIENT://${local.kafka}:9092"
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP           = "CLIENT:PLAINTEXT,CONTROLLER:PLAINTEXT"
      KAFKA_CONTROLLER_LISTENER_NAMES                = "CONTROLLER"
      KAFKA_INTER_BROKER_LISTENER_NAME               = "CLIENT"
      KAFKA_AUTO_CREATE_TOPICS_ENABLE                = "false"
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR         = "1"
      KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR = "1"
      KAFKA_TRANSACTION_STATE_LOG_MIN_ISR            = "1"
      KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS         = "0"
      KAFKA_MESSAGE_MAX_BYTES                        = "4194304"
    } : ["-e", "${name}=${value}"]]), ["apache/kafka:4.3.1"])
  }
  start = merge(
    { for name, words in local.containers : name => concat(local.docker, words) if var.containers && contains(keys(var.brokers), name) },
    var.start,
  )

  # The addresses at which ssh reaches the machines of brokers that the plan starts.
  started = { for name, words in local.start : name => lookup(var.ssh, name, var.brokers[name]) }

  plan = { targets = [for name in sort(keys(local.targets)) : merge(
    { name = name, url = local.targets[name] },
    contains(keys(local.start), name) ? { nodes = [{ command = local.start[name], on = local.ssh[local.started[name]], ready-in = "3m" }] } : {},
  )] }
}
