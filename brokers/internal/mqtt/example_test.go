package mqtt_test

import (
	"fmt"

	"github.com/brokerbench/brokerbench/brokers/internal/mqtt"
)

func ExampleOpen() {
	_, err := mqtt.Open("mqtt://user:secret@127.0.0.1?audit-session=true", "20261121-1200")
	fmt.Println(err)
	// Output: mqtt: target mqtt://user:xxxxx@127.0.0.1?audit-session=true: option audit-session=true needs qos=1 or 2: of QoS 0 a broker keeps nothing
}

func ExampleOptions() {
	for _, o := range mqtt.Options("mqtt")[3:4] {
		fmt.Printf("%s=%s: %s\n", o.Name, o.Value, o.Doc)
	}
	// Output: keep-alive=15s: silence after which the client pings the broker, and how long the answer may take before the connection is given up; whole seconds; 0: never
}
