package target

import (
	"errors"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	tests := []struct {
		raw      string
		scheme   string
		user, pw string
		hosts    []string
		path     string
		printed  string
	}{
		{"nats://127.0.0.1:4222", "nats", "", "", []string{"127.0.0.1:4222"}, "", "nats://127.0.0.1:4222"},
		{"kafka://h1:9092,h2:9092?acks=all", "kafka", "", "", []string{"h1:9092", "h2:9092"}, "", "kafka://h1:9092,h2:9092?acks=all"},
		{"amqp://u:p%40w@h:5672/%2Fv", "amqp", "u", "p@w", []string{"h:5672"}, "/v", "amqp://u:xxxxx@h:5672/%2Fv"},
		{"amqp://u:p@w@h/", "amqp", "u", "p@w", []string{"h"}, "", "amqp://u:xxxxx@h/"},
		{"REDISS://:pw@[::1]:6380/2", "rediss", "", "pw", []string{"[::1]:6380"}, "2", "rediss://:xxxxx@[::1]:6380/2"},
		{"loopback:?delay=1ms", "loopback", "", "", nil, "", "loopback:?delay=1ms"},
	}
	for _, tt := range tests {
		got, err := Parse(tt.raw)
		if err != nil {
			t.Errorf("Parse(%q): %v", tt.raw, err)
			continue
		}
		if got.Scheme != tt.scheme || got.User != tt.user || got.Password != tt.pw || !reflect.DeepEqual(got.Hosts, tt.hosts) || got.Path != tt.path {
			t.Errorf("Parse(%q) = %+v", tt.raw, got)
		}
		if got.String() != tt.printed {
			t.Errorf("Parse(%q) prints %q, want %q", tt.raw, got, tt.printed)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, raw := range []string{
		"", "nats", "://h", "nats:h:1", "nats://h:99999", "nats://h:1,", "nats://a b", "nats://u:%zz@h", "nats://u:secret/1@h", "nats://u:secret", "nats://u:secret,h:1", "nats://h?a=%zz",
	} {
		if got, err := Parse(raw); err == nil {
			t.Errorf("Parse(%q) = %+v, want an error", raw, got)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("Parse(%q): the error repeats the password: %v", raw, err)
		}
	}
}

// A password whose @, / or ? is not escaped can be cut in several ways: the error
// shows only what no way makes part of it.
func TestParseHidesAPasswordThatIsNotEscaped(t *testing.T) {
	for _, raw := range []string{
		"redis://u:se@cret/se?cret@h", "redis://u:se@cret?cret@h", "redis://u:se@cret/cret@h", "nats://se/cret@h", "nats://se?cret@h",
		"amqp://u:se/cret@h/v", "kafka://u:se?cret@h:9092?acks=all", "amqp://u:se@cret@h/cret@h",
	} {
		got, err := Parse(raw)
		if err == nil {
			t.Errorf("Parse(%q) = %+v, want an error", raw, got)
		} else if strings.Contains(err.Error(), "se") && !strings.Contains(err.Error(), "password") || strings.Contains(err.Error(), "cret") {
			t.Errorf("Parse(%q): the error repeats the password: %v", raw, err)
		}
	}
	if got, err := Parse("redis://h:1/0?name=a@b"); err != nil || got.Query.Get("name") != "a@b" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAddrs(t *testing.T) {
	parsed, err := Parse("x://h1,h2:7,[::1]")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := parsed.Addrs("9"), []string{"h1:9", "h2:7", "[::1]:9"}; !reflect.DeepEqual(got, want) {
		t.Errorf("Addrs = %v, want %v", got, want)
	}
	if got, want := (Target{}).Addrs("9"), []string{"localhost:9"}; !reflect.DeepEqual(got, want) {
		t.Errorf("Addrs without hosts = %v, want %v", got, want)
	}
}

func TestRedact(t *testing.T) {
	tests := []struct{ text, want string }{
		{"run nats://u:pw@h:1 x", "run nats://u:xxxxx@h:1 x"},
		{"nats://token@h:1", "nats://xxxxx@h:1"},
		{"run nats+tls://token@h,h2 tls://token@h", "run nats+tls://xxxxx@h,h2 tls://xxxxx@h"},
		{"nats://h1,h2:4222?name=a", "nats://h1,h2:4222?name=a"},
		{"redis://user@h:1", "redis://user@h:1"},
		{"nats://h:1", "nats://h:1"},
		{"amqp://u:p@w/x@h:1/v", "amqp://u:xxxxx@h:1/v"},
		{"nats://h?monitoring=http%3A%2F%2Fu%3Ap%3Aw%40m%3A8222&name=a%40b", "nats://h?monitoring=http%3A%2F%2Fu%3Axxxxx%40m%3A8222&name=a%40b"},
		{"nats://h?monitoring=http%3a%2f%2fm%3a8222&name=a%40b", "nats://h?monitoring=http%3a%2f%2fm%3a8222&name=a%40b"},
		{`dial "redis://:pw@h"`, `dial "redis://:xxxxx@h"`},
	}
	for _, tt := range tests {
		if got := Redact(tt.text); got != tt.want {
			t.Errorf("Redact(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func someOptions() (o Options, acks *string, linger *time.Duration) {
	acks = new(string)
	o = NewOptions("kafka", func(o Options) {
		o.Choice(acks, "acks", "1", []string{"0", "1", "all"}, "who confirms")
		linger = o.Duration("linger", 0, "how long to wait for more")
	})
	return o, acks, linger
}

func TestOptions(t *testing.T) {
	o, acks, linger := someOptions()
	parsed, _ := Parse("kafka://h?acks=all&linger=5ms")
	if err := o.Apply(parsed.Query); err != nil || *acks != "all" || linger.Milliseconds() != 5 {
		t.Fatalf("Apply: %v; acks %q, linger %v", err, *acks, *linger)
	}
	if got := o.Settings(); len(got) != 2 || got[0].Name != "acks" || got[0].Value != "all" {
		t.Errorf("Settings = %+v", got)
	}
}

func TestOptionsReportEveryMistake(t *testing.T) {
	o, _, _ := someOptions()
	parsed, _ := Parse("kafka://h?acks=2&lingre=5ms&linger=1s&linger=2s")
	err := o.Apply(parsed.Query)
	for _, want := range []string{`value "2": want 0, 1, all`, `did you mean "linger"?`, "given 2 times"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Apply: %v; want it to say %s", err, want)
		}
	}
}

func TestExplain(t *testing.T) {
	parsed, _ := Parse("nats://u:geheim@h:1")
	err := Explain(parsed, "connecting", errors.Join(errors.New("as u:geheim"), syscall.ECONNREFUSED))
	want := "nats://u:xxxxx@h:1: connecting: as u:xxxxx; connection refused (nothing listens there: start the broker, or correct host and port)"
	if err.Error() != want {
		t.Errorf("Explain = %q\nwant      %q", err, want)
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		t.Error("the cause is not kept")
	}
	if again := Explain(parsed, "setting up", err); !errors.Is(again, err) || again.Error() != err.Error() {
		t.Errorf("explained twice: %v", again)
	}
	if Explain(parsed, "connecting", nil) != nil {
		t.Error("Explain(nil) is not nil")
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"nats://u:p@h:1/x?a=b", "kafka://a:1,b:2", "loopback:?delay=1ms", "redis://[::1]:1/0", "amqp://a:b@c/%2f"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		first, err := Parse(raw)
		if err != nil {
			return
		}
		if first.hasPassword {
			return // printed without its password, so it does not come back
		}
		second, err := Parse(first.String())
		if err != nil {
			t.Fatalf("Parse(%q) prints %q: %v", raw, first, err)
		}
		if first.String() != second.String() || !reflect.DeepEqual(first.Hosts, second.Hosts) || first.Path != second.Path {
			t.Fatalf("round trip of %q: %q, then %q", raw, first, second)
		}
	})
}
