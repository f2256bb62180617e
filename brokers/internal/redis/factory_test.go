package redis

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

// Open returns the factory for the target at rawURL.
func Open(rawURL, run string) (*Factory, error) { return brokertest.Open("redis", rawURL, run, New) }

func TestOpenRefuses(t *testing.T) {
	brokertest.OpenRefuses(t, Open, "redis", map[string][]string{
		"redis://h?reconect-wait=1s":            {`did you mean "reconnect-wait"?`},
		"redis://h?reconnect-wait=0s":           {"option reconnect-wait: 0s is not between 1ms and 1h0m0s"},
		"redis://h?protocol=4":                  {"option protocol: 4 is not between 2 and 3"},
		"redis://h?no-delay=perhaps":            {`value "perhaps"`},
		"redis://h?tls-insecure=true":           {"scheme rediss"},
		"rediss://h?tls-ca=/nowhere.pem":        {"option tls-ca"},
		"redis://h/zero":                        {"number of a database"},
		"redis://h/-1":                          {"number of a database"},
		"redis://h1,h2":                         {"2 hosts: want one, or sentinels: redis+sentinel://"},
		"redis://u@h":                           {`user "u"`},
		"nats://h":                              {`scheme "nats"`},
		"redis://h/x?no-dellay=1&name=a&name=b": {`path "x"`, "no-dellay", "given 2 times"},
	})
	brokertest.OpenRefusesRuns(t, Open, "redis://h")
}

func TestOptionsSayEverything(t *testing.T) {
	brokertest.WantSettings(t, Options("redis"), map[string]string{
		"reconnect-wait": "100ms", "protocol": "2", "no-delay": "true", "tls-ca": "", "read-buffer": "32768",
	})
}

// Valkey's schemes are those of Redis with another name.
func TestSchemesOfValkey(t *testing.T) {
	for url, want := range map[string]struct{ encrypted, guided, clustered bool }{
		"valkey://h":                {},
		"valkeys://h":               {encrypted: true},
		"valkey+cluster://h":        {clustered: true},
		"valkeys+sentinel://h/main": {encrypted: true, guided: true},
		"redis+cluster://h1,h2":     {clustered: true},
	} {
		f := openURL(t, url)
		if f.encrypted() != want.encrypted || f.options.guided != want.guided || f.options.clustered != want.clustered {
			t.Errorf("%s: encrypted %v, guided %v, clustered %v, want %+v", url, f.encrypted(), f.options.guided, f.options.clustered, want)
		}
	}
}
