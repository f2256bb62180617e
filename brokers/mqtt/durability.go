package mqtt

import (
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// asked is how a broker says what it is.
const asked = "$SYS/broker/version"

// Levels returns how a broker that speaks MQTT keeps each level of durability. The protocol says
// nothing of files: what PUBACK promises is the product's matter.
func Levels() []target.Level {
	return []target.Level{
		{Durability: requester.None, Options: "qos=0", Note: "nothing of QoS 0 is acknowledged"},
		{Durability: requester.Accepted, Options: "qos=1", Note: "kept for sessions that outlive their connection, see audit-session"},
		{
			Durability: requester.Process, Options: "qos=1", Server: "a message is written before PUBACK", Asked: asked,
			Note: "Mosquitto has no such level: it acknowledges before it writes its file, even if that is after each change; other products: not verified",
		},
		{Durability: requester.Machine, Options: "qos=1", Server: "a message is synced before PUBACK", Asked: asked, Note: "Mosquitto has no such level"},
		{Durability: requester.Node, Options: "qos=1", Server: "a cluster that copies before PUBACK", Asked: asked, Note: "Mosquitto has no cluster"},
	}
}

// backs returns the most that the options allow.
func (o *options) backs() requester.Durability {
	if o.qos == 0 {
		return requester.None
	}
	return requester.Node
}

// limit returns what the product says about durability.
func limit(product string) target.Limit {
	if product == mosquitto {
		return target.Limit{
			Level:   requester.Accepted,
			Because: "Mosquitto acknowledges before it writes its file",
			Remedy:  "no setting of Mosquitto's does: ask for durability=accepted",
		}
	}
	return target.Limit{Level: requester.Accepted, Because: "what an acknowledgement of this product promises is not known", Unknown: true}
}
