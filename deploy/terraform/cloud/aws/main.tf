# Two machines or more, close together: one for each agent, one or more for brokers.

terraform {
  required_version = ">= 1.6"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 6.0"
    }
  }
}

provider "aws" {
  region = var.region
  default_tags {
    tags = { Project = var.name }
  }
}

locals {
  agents   = toset([for i in range(var.agents) : "agent${i + 1}"])
  brokers  = toset(values(var.brokers))
  machines = setunion(local.agents, local.brokers)
}

data "aws_ec2_instance_type" "this" {
  instance_type = var.instance_type
}

# Canonical's current image; var.ami pins one.
data "aws_ssm_parameter" "ubuntu" {
  name = "/aws/service/canonical/ubuntu/server/24.04/stable/current/amd64/hvm/ebs-gp3/ami-id"
}

# One rack, as near as the cloud has it: the shortest way between two machines, and the
# same for all. It may say that it has no room; then try another zone or type.
resource "aws_placement_group" "this" {
  name     = var.name
  strategy = "cluster"
}

resource "aws_key_pair" "this" {
  key_name   = var.name
  public_key = var.ssh_public_key
}

resource "aws_instance" "this" {
  for_each = local.machines

  ami                    = coalesce(var.ami, nonsensitive(data.aws_ssm_parameter.ubuntu.value))
  instance_type          = var.instance_type
  key_name               = aws_key_pair.this.key_name
  placement_group        = aws_placement_group.this.id
  subnet_id              = aws_subnet.this.id
  vpc_security_group_ids = [aws_security_group.this.id]
  tenancy                = var.tenancy
  user_data              = file("${path.module}/${contains(local.agents, each.key) ? "agent" : "broker"}.yaml")

  # Whole cores: a thread beside the one that sends would be somebody else's noise.
  cpu_options {
    core_count       = data.aws_ec2_instance_type.this.default_cores
    threads_per_core = 1
  }

  metadata_options {
    http_endpoint = "enabled"
    http_tokens   = "required"
  }

  root_block_device {
    volume_type = "gp3"
    volume_size = var.disk_gib
    iops        = 3000
    throughput  = 125
    encrypted   = true
  }

  tags = { Name = "${var.name}-${each.key}" }

  lifecycle {
    ignore_changes = [ami] # a newer image is no reason to lose the machine
  }
}

module "hosts" {
  source = "../../hosts"

  agents  = [for name in sort(local.agents) : aws_instance.this[name].public_ip]
  brokers = { for broker, machine in var.brokers : broker => aws_instance.this[machine].private_ip }
  ssh     = { for broker, machine in var.brokers : broker => aws_instance.this[machine].public_ip }
  user    = "ubuntu"

  containers = true
}
