package redis

import (
	"maps"
	"slices"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
)

// What the server says, and no more, is what an acknowledged message survives.
func TestServerLimitsDurability(t *testing.T) {
	safe := map[string]string{
		"appendonly": "yes", "appendfsync": "always", "no-appendfsync-on-rewrite": "no", "maxmemory": "0", "maxmemory-policy": "noeviction", "replicas": "0",
	}
	for _, c := range []struct {
		query  string
		server map[string]string
		want   requester.Durability
	}{
		{"stream=read", nil, requester.Machine},
		{"stream=none", nil, requester.None},
		{"stream=read", map[string]string{"appendonly": "no"}, requester.Accepted},
		{"stream=read", map[string]string{"appendfsync": "no"}, requester.Process},
		{"stream=read", map[string]string{"appendfsync": "everysec"}, requester.Accepted},
		{"stream=read&wait-fsync=true", map[string]string{"appendfsync": "everysec"}, requester.Machine},
		{"stream=read&wait-fsync=true", map[string]string{"appendfsync": "no"}, requester.Process},
		{"stream=read", map[string]string{"no-appendfsync-on-rewrite": "yes"}, requester.Process},
		{"stream=read", map[string]string{"maxmemory": "1000", "maxmemory-policy": "allkeys-lru"}, requester.None},
		{"stream=read", map[string]string{"maxmemory": "1000", "maxmemory-policy": "volatile-lru"}, requester.Machine},
		{"stream=read", map[string]string{"appendonly": notKnown, "appendfsync": notKnown}, requester.Accepted},
		{"stream=read", map[string]string{"maxmemory": notKnown, "maxmemory-policy": notKnown}, requester.None},
		{"durability=accepted", map[string]string{"maxmemory": notKnown, "maxmemory-policy": notKnown}, requester.Accepted},
		{"stream=read", map[string]string{"maxmemory": "1000", "maxmemory-policy": notKnown}, requester.None},
		{"stream=read&max-len=1000000", nil, requester.None},
		{"stream=read&wait-replicas=1&max-len=10", map[string]string{"replicas": "2"}, requester.None},
		{"stream=read&wait-replicas=1", map[string]string{"replicas": "2"}, requester.Node},
		{"stream=read&wait-replicas=1", map[string]string{"replicas": "2", "appendfsync": "no"}, requester.Node},
		{"stream=read&wait-replicas=1", map[string]string{"replicas": "2", "appendfsync": "everysec"}, requester.Accepted},
		{"stream=read&wait-replicas=1", map[string]string{"replicas": "2", "appendonly": "no"}, requester.Accepted},
		{"stream=read&wait-replicas=1", map[string]string{"replicas": "0"}, requester.Machine},
		{"stream=read&wait-replicas=1", map[string]string{"replicas": "0", "appendfsync": "no"}, requester.Process},
	} {
		f, err := Open("redis://h?"+c.query, "run")
		if err != nil {
			t.Fatal(err)
		}
		says := maps.Clone(safe)
		maps.Copy(says, c.server)
		var server []requester.Setting
		for name, value := range says {
			server = append(server, requester.Setting{Name: serverPrefix + name, Value: value})
		}
		got, err := f.options.durable.Back(f.options.backs(), f.options.limits(server)...)
		if err != nil || got.Level != c.want {
			t.Errorf("%s with %v: %+v %v, want %s", c.query, c.server, got, err, c.want)
		}
	}
}

// Who asks for a level and trims is told why there is none.
func TestTrimmingIsRefusedWhereALevelIsAskedFor(t *testing.T) {
	_, err := openURL(t, serve(t, "--appendonly", "yes", "--appendfsync", "no").url("", "?durability=process&max-len=100")).Describe(t.Context())
	brokertest.WantFault(t, err, "does not back durability=process", "max-len=100 trims the stream: a message that was trimmed is not kept, which backs none at most", "leave out max-len")
}

func TestDurabilitySetsOptions(t *testing.T) { brokertest.LevelsOpen(t, Open, "redis://h", Levels()) }

// A server that does not tell its configuration is asked for what INFO tells of it.
func TestInfoStandsInForConfig(t *testing.T) {
	hidden := []string{"--rename-command", "CONFIG", "", "--save", ""}
	for query, says := range map[string]string{
		"durability=process":                        "the server's appendonly is no, which backs accepted at most",
		"durability=accepted":                       "",
		"durability=accepted&durability-check=true": "the server's maxmemory-policy is allkeys-lru, which removes streams",
	} {
		args := hidden
		if says != "" && query != "durability=process" {
			args = append(slices.Clone(hidden), "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru")
		}
		d, err := openURL(t, serve(t, args...).url("", "?"+query)).Describe(t.Context())
		switch {
		case says != "":
			brokertest.WantError(t, err, says)
		case err != nil || len(d.Durability.NotVerified) > 0:
			t.Errorf("%s: %+v %v", query, d.Durability, err)
		}
	}
}
