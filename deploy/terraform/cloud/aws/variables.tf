variable "region" {
  description = "Region."
  type        = string
  default     = "us-east-1"
}

variable "availability_zone" {
  description = "Zone; all machines are in one. Null: the cloud chooses."
  type        = string
  default     = null
}

variable "name" {
  description = "Name of everything that is made, so that runs beside each other can be told apart."
  type        = string
  default     = "brokerbench"
}

variable "agents" {
  description = "How many machines send load."
  type        = number
  default     = 1

  validation {
    condition     = var.agents >= 1 && floor(var.agents) == var.agents
    error_message = "At least one machine sends load."
  }
}

variable "brokers" {
  description = "On which machine each broker is, by the broker's name: those that you measure by turns may share one."
  type        = map(string)
  default     = { nats = "broker1", redis = "broker1", rabbitmq = "broker1", kafka = "broker1" }

  validation {
    condition     = length(var.brokers) > 0 && alltrue([for m in values(var.brokers) : can(regex("^broker[0-9]+$", m))])
    error_message = "A machine for brokers is called broker1, broker2 and so on."
  }
}

variable "instance_type" {
  description = "Type of all machines: of a current generation, not of one with CPU credits."
  type        = string
  default     = "m7i.2xlarge"

  validation {
    condition     = !startswith(var.instance_type, "t")
    error_message = "Types that begin with t pay for their CPU in credits: what is measured there is the account."
  }
}

variable "tenancy" {
  description = "Default, or dedicated for machines that share their hosts with nobody else's."
  type        = string
  default     = "default"

  validation {
    condition     = contains(["default", "dedicated"], var.tenancy)
    error_message = "Tenancy is default or dedicated."
  }
}

variable "ami" {
  description = "Image with cloud-init and the user ubuntu; null: the current Ubuntu 24.04. Pin it to repeat a measurement."
  type        = string
  default     = null
}

variable "disk_gib" {
  description = "Disk of each machine in GiB."
  type        = number
  default     = 50
}

variable "ssh_public_key" {
  description = "Your public key, as in ~/.ssh/id_ed25519.pub."
  type        = string
}

variable "ssh_from" {
  description = "From where ssh may come, such as [\"203.0.113.7/32\"]."
  type        = list(string)

  validation {
    condition     = length(var.ssh_from) > 0 && alltrue([for c in var.ssh_from : can(cidrnetmask(c))])
    error_message = "Want IPv4 networks, such as 203.0.113.7/32."
  }
  validation {
    condition     = !contains(var.ssh_from, "0.0.0.0/0")
    error_message = "0.0.0.0/0 is everybody: name your own address."
  }
}
