output "agents" {
  description = "What `brokerbench run --agents` takes."
  value       = join(",", local.agents)
}

output "targets" {
  description = "The URL of each broker, by its name."
  value       = local.targets
}

output "command" {
  description = "A command that measures these brokers from these agents, as it is typed."
  value = join(" ", concat(
    ["brokerbench", "run"],
    [for name in sort(keys(local.targets)) : "'${name}=${local.targets[name]}'"],
    ["--agents", "'${join(",", local.agents)}'"],
  ))
}

output "plan" {
  description = "A plan file with these brokers, which starts those that have a command: `brokerbench run plan.yaml --agents …`."
  value       = yamlencode(local.plan)
}

output "known_hosts" {
  description = "A command that shows the host keys, to compare them with what the machines say and keep them: ssh refuses hosts that it does not know."
  value       = "ssh-keyscan -p ${var.port} ${join(" ", distinct(concat(var.agents, [for name in sort(keys(local.started)) : local.started[name]])))}"
}
