output "agents" {
  description = "What `brokerbench run --agents` takes."
  value       = module.hosts.agents
}

output "targets" {
  description = "The URL of each broker, as the agents reach it."
  value       = module.hosts.targets
}

output "command" {
  description = "A command that measures these brokers from these agents."
  value       = module.hosts.command
}

output "known_hosts" {
  description = "A command that shows the machines' host keys."
  value       = module.hosts.known_hosts
}

output "ssh" {
  description = "How to log in to each machine."
  value       = { for name, machine in aws_instance.this : name => "ssh ubuntu@${machine.public_ip}" }
}
