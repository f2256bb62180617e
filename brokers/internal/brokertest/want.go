package brokertest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// Secret is the password of the targets in tests: no error may repeat it.
const Secret = "geheim"

// WantError wants err to say all of parts, in one line, and not the secret.
func WantError(t testing.TB, err error, parts ...string) {
	t.Helper()
	requestertest.WantError(t, err, parts...)
	if strings.Contains(err.Error(), Secret) {
		t.Errorf("error %q contains the password", err)
	}
}

// WantFault wants err to begin with the target, too, and to name a remedy.
func WantFault(t testing.TB, err error, parts ...string) {
	t.Helper()
	WantError(t, err, parts...)
	var fault *target.Fault
	if !errors.As(err, &fault) || fault.Remedy == "" || !strings.HasPrefix(err.Error(), fault.Target.String()+": ") {
		t.Errorf("error %q names no target or no remedy", err)
	}
}

// SetupExplains wants Setup to explain why targets cannot be used. Each has a name,
// and under it its URL and what the error must say.
func SetupExplains[F requester.Factory](t *testing.T, open Opener[F], targets map[string][]string) {
	for name, says := range targets {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // some brokers take their time to refuse a password
			WantFault(t, requestertest.NewLink(t, Opened(t, open, says[0], ""), 0).Begin(), says[1:]...)
		})
	}
}

// DescribeExplains wants Describe to explain that nothing listens at the target.
func DescribeExplains(t *testing.T, f requester.Describer) {
	t.Helper()
	_, err := f.Describe(t.Context())
	WantFault(t, err, "connecting", "connection refused", "nothing listens there", "start the broker")
}

// WantSettings wants every setting to be documented, and those in want to have
// these values.
func WantSettings(t testing.TB, settings []requester.Setting, want map[string]string) {
	t.Helper()
	values := make(map[string]string)
	for _, s := range settings {
		if s.Doc == "" {
			t.Errorf("option %s has no documentation", s.Name)
		}
		values[s.Name] = s.Value
	}
	for name, value := range want {
		if got, ok := values[name]; !ok || got != value {
			t.Errorf("option %s is %q, want %q", name, got, value)
		}
	}
}

// OpenRefuses wants an error for each URL that begins with the broker's name and
// says all that stands behind the URL.
func OpenRefuses[F requester.Factory](t *testing.T, open Opener[F], broker string, urls map[string][]string) {
	for url, says := range urls {
		_, err := open(url, "run")
		if err == nil || !strings.HasPrefix(err.Error(), broker+": ") || strings.Contains(err.Error(), Secret) {
			t.Errorf("Open(%q): %v; want an error that begins with %s and keeps the password", url, err, broker)
			continue
		}
		for _, part := range says {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("Open(%q): %v; want it to say %q", url, err, part)
			}
		}
	}
}

// OpenRefusesRuns wants an error for runs that cannot be a part of a name.
func OpenRefusesRuns[F requester.Factory](t *testing.T, open Opener[F], url string) {
	for _, run := range []string{"", "a b", "a.b", "a/b", "ä", "*", strings.Repeat("x", 201)} {
		if _, err := open(url, run); err == nil || !strings.Contains(err.Error(), "run \""+run) {
			t.Errorf("Open with run %q: %v", run, err)
		}
	}
}

// NoEcho wants a factory to refuse an echo, and to name the option that forbids it.
func NoEcho(t *testing.T, f requester.Factory, option string) {
	t.Helper()
	WantError(t, f.(requester.Echoer).TakeSide(requester.Echo), "an echo is not possible with the option "+option)
}

// LevelsOpen wants a broker to have every level of durability, the weakest first, and each
// to set options that the broker takes and that back the level.
func LevelsOpen[F requester.Factory](t *testing.T, open Opener[F], url string, levels []target.Level) {
	t.Helper()
	var has []requester.Durability
	for _, level := range levels {
		has = append(has, level.Durability)
		if _, err := open(url+"?durability="+string(level.Durability), "run"); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(has, requester.Durabilities()) {
		t.Errorf("levels %v", has)
	}
}

// AuditMisses wants an audit to find once each of the n messages that Store sent over
// connection 0, but not those that are gone.
func AuditMisses(t testing.TB, f requester.Factory, n int, gone ...uint64) {
	t.Helper()
	found := requestertest.Audited(t, f)
	for seq := range uint64(n) {
		want := 1
		if slices.Contains(gone, seq) {
			want = 0
		}
		if got := found[requester.Stamp{Run: 1, Seq: seq}]; got != want {
			t.Errorf("message %d is found %d times, want %d", seq, got, want)
		}
	}
	if want := n - len(gone); len(found) != want {
		t.Errorf("%d messages, want %d", len(found), want)
	}
}

// WantAcknowledges wants connections to acknowledge messages, or not to. [requestertest.Run] counts
// the acknowledgements of those that say that they do.
func WantAcknowledges(t testing.TB, f requester.Factory, want bool) {
	t.Helper()
	if got := requestertest.NewLink(t, f, 0).Traits().Acknowledges; got != want {
		t.Errorf("connections acknowledge: %v, want %v", got, want)
	}
}

// KeepsOrder wants the replies of each connection in the order of its messages.
func KeepsOrder(t testing.TB, f requester.Factory) {
	t.Helper()
	links := requestertest.ConnectionsDoNotCross(t, f, 10)
	for seq := range uint64(10) {
		for number, l := range links {
			l.Send(t, requestertest.Payload(uint32(number), seq, 100))
		}
	}
	for number, l := range links {
		for seq := range uint64(10) {
			l.Want(t, requestertest.Payload(uint32(number), seq, 100))
		}
	}
}
