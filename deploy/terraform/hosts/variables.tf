variable "agents" {
  description = "Addresses or names of the machines that send load, as ssh reaches them."
  type        = list(string)

  validation {
    condition     = length(var.agents) > 0
    error_message = "There is no agent: want at least one address."
  }
  validation {
    condition     = length(distinct(var.agents)) == length(var.agents)
    error_message = "An address is there twice: two agents on one machine would disturb each other."
  }
  validation {
    condition     = alltrue([for a in var.agents : can(regex("^[0-9A-Za-z][0-9A-Za-z.:_-]*$", a))])
    error_message = "An address is a host's name or its IPv4 or IPv6 address, without scheme, user or brackets."
  }
}

variable "brokers" {
  description = "The address at which the agents reach each broker, by its name: nats, redis, rabbitmq, rabbitmq-stream, amqp1, kafka."
  type        = map(string)
  default     = {}

  validation {
    condition = alltrue([
      for name in keys(var.brokers) : contains(["nats", "redis", "rabbitmq", "rabbitmq-stream", "amqp1", "kafka"], name)
    ])
    error_message = "A broker is nats, redis, rabbitmq, rabbitmq-stream, amqp1 or kafka."
  }
  validation {
    condition     = alltrue([for a in values(var.brokers) : can(regex("^[0-9A-Za-z][0-9A-Za-z.:_-]*$", a))])
    error_message = "An address is a host's name or its IPv4 or IPv6 address, without scheme, user or brackets."
  }
  validation {
    condition     = length(setintersection(toset(values(var.brokers)), toset(var.agents))) == 0
    error_message = "A broker is on an agent's machine: client and broker would compete for its cores."
  }
}

variable "start" {
  description = "The command that starts a broker in the foreground on its machine, by the broker's name, in words. Those without one run already."
  type        = map(list(string))
  default     = {}

  validation {
    condition     = length(setsubtract(keys(var.start), keys(var.brokers))) == 0
    error_message = "There is a command for a broker that is not in brokers."
  }
  validation {
    condition     = alltrue([for words in values(var.start) : length(words) > 0])
    error_message = "A command has one word at least."
  }
}

variable "containers" {
  description = "Start the brokers that have no command as containers, with docker on their machines; rabbitmq-stream has none."
  type        = bool
  default     = false
}

variable "ssh" {
  description = "The address at which ssh reaches the machine of a broker, by the broker's name, where that differs from the one in brokers."
  type        = map(string)
  default     = {}

  validation {
    condition     = length(setsubtract(keys(var.ssh), keys(var.brokers))) == 0
    error_message = "There is an address for a broker that is not in brokers."
  }
  validation {
    condition     = alltrue([for a in values(var.ssh) : can(regex("^[0-9A-Za-z][0-9A-Za-z.:_-]*$", a))])
    error_message = "An address is a host's name or its IPv4 or IPv6 address, without scheme, user or brackets."
  }
}

variable "user" {
  description = "Whom ssh logs in as; empty: as ssh is configured."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^[0-9A-Za-z._-]*$", var.user))
    error_message = "A user's name has letters, digits, dots, dashes and underscores."
  }
}

variable "port" {
  description = "The port of sshd."
  type        = number
  default     = 22

  validation {
    condition     = var.port >= 1 && var.port <= 65535 && floor(var.port) == var.port
    error_message = "A port is a whole number from 1 to 65535."
  }
}
