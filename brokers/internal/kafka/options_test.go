package kafka

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

func TestOpen(t *testing.T) {
	for _, url := range []string{
		"kafka://h", "KAFKA://h:9092", "kafka://h1:1,h2:2/", "kafka://",
		"kafka://h?acks=0", "kafka://h?acks=all&idempotent=true", "kafka://h?replication-factor=-1&partitions=12",
		"kafka://h?acks=all&replication-factor=3&min-insync-replicas=2&flush-messages=1", "kafka://h?acks=all&replication-factor=-1&min-insync-replicas=2",
		"kafka://h?" + exactly + "each", "kafka://h?consumer=share&isolation=read_committed", "kafka://u:p@h?sasl=plain", "kafka+tls://u:p@h?sasl=scram-sha-256&tls-insecure=true", "kafka+tls://h",
		"kafka://h?max-message-bytes=100663296&linger=5ms&compression=zstd&fetch-min-bytes=1024&fetch-max-wait=10ms&fetch-max-partition-bytes=1024",
	} {
		if _, err := Open(url, "run"); err != nil {
			t.Errorf("Open(%q): %v", url, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	garbage := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(garbage, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	brokertest.OpenRefuses(t, Open, "kafka", map[string][]string{
		"nats://h":                                                          {`scheme "nats": want kafka or kafka+tls`},
		"kafka://h/orders":                                                  {`path "orders"`},
		"kafka://h:port":                                                    {`port`},
		"kafka://h?ack=1":                                                   {`did you mean "acks"?`},
		"kafka://h?acks=2":                                                  {`want 0, 1, all`},
		"kafka://h?idempotent=true":                                         {"idempotent=true needs acks=all, not acks=1"},
		"kafka://h?linger=-1ms":                                             {"linger"},
		"kafka://h?partitions=0":                                            {"option partitions: 0 is not between 1 and 1000"},
		"kafka://h?replication-factor=0":                                    {"replication-factor"},
		"kafka://h?max-message-bytes=16":                                    {"max-message-bytes"},
		"kafka://h?max-message-bytes=100663297":                             {"max-message-bytes"},
		"kafka://h?fetch-max-wait=1ms":                                      {"option fetch-max-wait: 1ms is not between 10ms and 1m0s"},
		"kafka://h?min-insync-replicas=-1":                                  {"min-insync-replicas"},
		"kafka://h?flush-messages=-1":                                       {"flush-messages"},
		"kafka://h?acks=all&min-insync-replicas=2":                          {"min-insync-replicas=2 needs replication-factor=2"},
		"kafka://h?min-insync-replicas=1":                                   {"min-insync-replicas needs acks=all, not acks=1"},
		"kafka://h?transactions=each":                                       {"option transactions=each needs acks=all and idempotent=true"},
		"kafka://h?acks=all&transactions=50ms":                              {"option transactions=50ms needs acks=all and idempotent=true"},
		"kafka://h?" + exactly + "often":                                    {"transactions", "want none, each, or how long"},
		"kafka://h?" + exactly + "0":                                        {"transactions", "want none, each, or how long"},
		"kafka://h?" + exactly + "100us":                                    {"option transactions: 100µs is not between 1ms and 5s"},
		"kafka://h?" + exactly + "-1s":                                      {"option transactions: -1s is not between"},
		"kafka://h?" + exactly + "6s":                                       {"option transactions: 6s is not between"},
		"kafka://h?isolation=committed":                                     {"want auto, read_uncommitted, read_committed"},
		"kafka://h?consumer=share&fetch-max-wait=2s":                        {"consumer=share needs a fetch-max-wait of 1s at most"},
		"kafka://h?consumer=share&group-protocol=consumer":                  {"option group-protocol=consumer is for consumer groups: leave out consumer=share"},
		"kafka://h?consumer=group":                                          {"want direct, share"},
		"kafka://h?fetch-max-partition-bytes=1023":                          {"fetch-max-partition-bytes"},
		"kafka://h?fetch-min-bytes=0":                                       {"fetch-min-bytes"},
		"kafka://h?requests-in-flight=0":                                    {"requests-in-flight"},
		"kafka://u:p@h":                                                     {"sasl=scram-sha-512"},
		"kafka://h?sasl=plain":                                              {"sasl=plain needs user:password@"},
		"kafka://h?tls-insecure=true":                                       {"need the scheme kafka+tls"},
		"kafka+tls://h?tls-ca=" + garbage:                                   {"holds no PEM certificate"},
		"kafka+tls://h?tls-cert=x":                                          {"give both or neither"},
		"kafka://u:geheim@h?idempotent=true&partitions=0&fetch-min-bytes=0": {"idempotent", "partitions", "fetch-min-bytes", "sasl"},
	})
	brokertest.OpenRefusesRuns(t, Open, "kafka://h")
}

func TestOptions(t *testing.T) {
	want := map[string]string{
		"acks": "1", "idempotent": "false", "linger": "0s", "compression": "none", "requests-in-flight": "5",
		"partitions": "1", "replication-factor": "1", "max-message-bytes": "2097152",
		"min-insync-replicas": "0", "flush-messages": "0", "durability": "as-set", "durability-check": "true",
		"transactions": "none", "consumer": "direct", "group-protocol": "classic", "isolation": "auto",
		"fetch-max-wait": "500ms", "fetch-min-bytes": "1", "fetch-max-partition-bytes": "4194304", "sasl": "none", "max-age": "0s", "retention": "0",
		"tls-ca": "", "tls-cert": "", "tls-key": "", "tls-server-name": "", "tls-insecure": "false",
	}
	got := Options("kafka+tls")
	if len(got) != len(want) {
		t.Errorf("%d options, want %d", len(got), len(want))
	}
	brokertest.WantSettings(t, got, want)
}

func TestSettingsAreThoseInForce(t *testing.T) {
	f := open(t, "kafka://h?acks=all&linger=5ms", "")
	brokertest.WantSettings(t, f.Settings, map[string]string{"acks": "all", "linger": "5ms", "partitions": "1", "isolation": "read_uncommitted"})
	f = open(t, "kafka://h?"+exactly+"1500ms", "")
	brokertest.WantSettings(t, f.Settings, map[string]string{"transactions": "1.5s", "isolation": "read_committed"})
	f = open(t, "kafka://h?"+exactly+"each&isolation=read_uncommitted", "")
	brokertest.WantSettings(t, f.Settings, map[string]string{"transactions": "each", "isolation": "read_uncommitted"})
}

func TestBackoffIsBounded(t *testing.T) {
	for tries := -1; tries < 100; tries++ {
		if wait := backoff(tries); wait <= 0 || wait > maxBackoff {
			t.Errorf("backoff(%d) = %v", tries, wait)
		}
	}
}

// FuzzOpen wants every target that is refused to be refused with an error that
// keeps the password, and no panic.
func FuzzOpen(f *testing.F) {
	f.Add("acks=all&idempotent=true&partitions=3&replication-factor=-1")
	f.Add("linger=1ms&fetch-max-wait=1m&max-message-bytes=1024&compression=lz4")
	f.Fuzz(func(t *testing.T, query string) {
		if strings.Contains(query, "tls") {
			return // do not let the fuzzer open files
		}
		_, err := Open("kafka://user:geheim-xyzzy@h?sasl=plain&"+query, "run")
		if err != nil && strings.Contains(err.Error(), "geheim-xyzzy") && !strings.Contains(query, "geheim") {
			t.Errorf("Open with %q tells the password: %v", query, err)
		}
	})
}
