output "agents" {
  description = "What `brokerbench run --agents` takes."
  value       = module.hosts.agents
}

output "targets" {
  description = "The URL of each broker, as the agents reach it."
  value       = module.hosts.targets
}

output "plan" {
  description = "A plan file that starts the brokers on their machines, as containers."
  value       = module.hosts.plan
}

output "command" {
  description = "A command that waits until all machines have their packages, starts the brokers, and measures them from the agents."
  value = join("; ", concat(
    [for name, machine in aws_instance.this : "ssh ubuntu@${machine.public_ip} cloud-init status --wait"],
    ["terraform output -raw plan | brokerbench run --file - --agents '${module.hosts.agents}'"],
  ))
}

output "known_hosts" {
  description = "A command that shows the machines' host keys."
  value       = module.hosts.known_hosts
}

output "ssh" {
  description = "How to log in to each machine."
  value       = { for name, machine in aws_instance.this : name => "ssh ubuntu@${machine.public_ip}" }
}
