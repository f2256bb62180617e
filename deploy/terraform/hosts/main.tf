# Addresses in, URLs and agents for brokerbench out. It makes nothing and
# needs no provider, so it serves machines of any cloud, and of none.

terraform {
  required_version = ">= 1.9" # validations name other variables
}

locals {
  # An address of IPv6 stands in brackets within a URL.
  at = { for a in distinct(concat(var.agents, values(var.brokers))) : a => strcontains(a, ":") ? "[${a}]" : a }

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

  plan = { targets = [for name in sort(keys(local.targets)) : merge(
    { name = name, url = local.targets[name] },
    contains(keys(var.start), name) ? { nodes = [{ command = var.start[name], on = local.ssh[var.brokers[name]] }] } : {},
  )] }
}
