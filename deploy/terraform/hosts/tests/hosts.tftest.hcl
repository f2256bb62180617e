variables {
  agents  = ["10.0.0.1", "10.0.0.2"]
  brokers = { nats = "10.0.0.9" }
}

run "agents_and_targets" {
  command = plan
  assert {
    condition     = output.agents == "ssh://10.0.0.1,ssh://10.0.0.2"
    error_message = "agents: ${output.agents}"
  }
  assert {
    condition     = output.targets == { nats = "nats://10.0.0.9:4222" }
    error_message = "targets: ${jsonencode(output.targets)}"
  }
  assert {
    condition     = output.command == "brokerbench run 'nats=nats://10.0.0.9:4222' --agents 'ssh://10.0.0.1,ssh://10.0.0.2'"
    error_message = "command: ${output.command}"
  }
}

run "user_and_port" {
  command = plan
  variables {
    user = "ubuntu"
    port = 2222
  }
  assert {
    condition     = output.agents == "ssh://ubuntu@10.0.0.1:2222,ssh://ubuntu@10.0.0.2:2222"
    error_message = "agents: ${output.agents}"
  }
  assert {
    condition     = output.known_hosts == "ssh-keyscan -p 2222 10.0.0.1 10.0.0.2"
    error_message = "known_hosts: ${output.known_hosts}"
  }
}

run "order_is_kept" {
  command = plan
  variables {
    agents = ["zone-c", "zone-a", "zone-b"]
  }
  assert {
    condition     = output.agents == "ssh://zone-c,ssh://zone-a,ssh://zone-b"
    error_message = "agents: ${output.agents}"
  }
}

run "ipv6_is_in_brackets" {
  command = plan
  variables {
    agents  = ["2001:db8::1"]
    brokers = { redis = "2001:db8::9" }
  }
  assert {
    condition     = output.agents == "ssh://[2001:db8::1]" && output.targets.redis == "redis://[2001:db8::9]:6379"
    error_message = "${output.agents} ${jsonencode(output.targets)}"
  }
}

run "every_broker" {
  command = plan
  variables {
    brokers = { nats = "b", redis = "b", rabbitmq = "b", rabbitmq-stream = "b", amqp1 = "b", kafka = "b" }
  }
  assert {
    condition     = join(" ", values(output.targets)) == "amqp1://guest:guest@b:5672 kafka://b:9092 nats://b:4222 amqp://guest:guest@b:5672 rabbitmq-stream://guest:guest@b:5552 redis://b:6379"
    error_message = jsonencode(output.targets)
  }
}

run "brokers_are_started" {
  command = plan
  variables {
    user    = "ubuntu"
    brokers = { nats = "10.0.0.9", redis = "2001:db8::9", kafka = "10.0.0.8" }
    start   = { nats = ["nats-server", "-p", "4222"], redis = ["redis-server"] }
  }
  assert {
    condition = yamldecode(output.plan) == { targets = [
      { name = "kafka", url = "kafka://10.0.0.8:9092" },
      { name = "nats", url = "nats://10.0.0.9:4222", nodes = [{ command = ["nats-server", "-p", "4222"], on = "ssh://ubuntu@10.0.0.9", ready-in = "3m" }] },
      { name = "redis", url = "redis://[2001:db8::9]:6379", nodes = [{ command = ["redis-server"], on = "ssh://ubuntu@[2001:db8::9]", ready-in = "3m" }] },
    ] }
    error_message = output.plan
  }
  assert {
    condition     = output.known_hosts == "ssh-keyscan -p 22 10.0.0.1 10.0.0.2 10.0.0.9 2001:db8::9"
    error_message = output.known_hosts
  }
}

run "brokers_are_containers" {
  command = plan
  variables {
    brokers    = { nats = "10.0.0.9", redis = "10.0.0.9", kafka = "10.0.0.8", rabbitmq-stream = "10.0.0.7" }
    start      = { nats = ["nats-server"] }
    containers = true
    ssh        = { redis = "203.0.113.9", kafka = "203.0.113.8" }
  }
  assert {
    condition     = [for t in yamldecode(output.plan).targets : try(t.nodes[0].on, "")] == ["ssh://203.0.113.8", "ssh://10.0.0.9", "", "ssh://203.0.113.9"]
    error_message = output.plan
  }
  assert {
    condition     = yamldecode(output.plan).targets[1].nodes[0].command == ["nats-server"]
    error_message = output.plan
  }
  assert {
    condition     = yamldecode(output.plan).targets[3].nodes[0].command == ["docker", "run", "--network", "host", "redis:8.0.3", "redis-server", "--save", "", "--protected-mode", "no"]
    error_message = output.plan
  }
  assert {
    condition     = contains(yamldecode(output.plan).targets[0].nodes[0].command, "KAFKA_ADVERTISED_LISTENERS=CLIENT://10.0.0.8:9092")
    error_message = output.plan
  }
  assert {
    condition     = output.known_hosts == "ssh-keyscan -p 22 10.0.0.1 10.0.0.2 203.0.113.8 10.0.0.9 203.0.113.9"
    error_message = output.known_hosts
  }
}

run "refuses_ssh_to_an_unknown_broker" {
  command = plan
  variables {
    ssh = { redis = "203.0.113.9" }
  }
  expect_failures = [var.ssh]
}

run "refuses_a_command_without_a_broker" {
  command = plan
  variables {
    start = { redis = ["redis-server"] }
  }
  expect_failures = [var.start]
}

run "no_broker_yet" {
  command = plan
  variables {
    brokers = {}
  }
  assert {
    condition     = output.command == "brokerbench run --agents 'ssh://10.0.0.1,ssh://10.0.0.2'"
    error_message = output.command
  }
}

run "refuses_no_agent" {
  command = plan
  variables {
    agents = []
  }
  expect_failures = [var.agents]
}

run "refuses_an_agent_twice" {
  command = plan
  variables {
    agents = ["10.0.0.1", "10.0.0.1"]
  }
  expect_failures = [var.agents]
}

run "refuses_what_a_shell_would_read" {
  command = plan
  variables {
    agents = ["10.0.0.1', 'x"]
  }
  expect_failures = [var.agents]
}

run "refuses_a_url_as_address" {
  command = plan
  variables {
    agents = ["ssh://10.0.0.1"]
  }
  expect_failures = [var.agents]
}

run "refuses_an_unknown_broker" {
  command = plan
  variables {
    brokers = { pulsar = "10.0.0.9" }
  }
  expect_failures = [var.brokers]
}

run "refuses_a_broker_on_an_agent" {
  command = plan
  variables {
    brokers = { nats = "10.0.0.1" }
  }
  expect_failures = [var.brokers]
}

run "refuses_a_port_that_is_none" {
  command = plan
  variables {
    port = 70000
  }
  expect_failures = [var.port]
}

run "refuses_a_user_with_a_quote" {
  command = plan
  variables {
    user = "a'b"
  }
  expect_failures = [var.user]
}
