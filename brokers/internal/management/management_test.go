package management

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// serve answers one path to one user.
func serve(t *testing.T, path, answer string) API {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if r.URL.EscapedPath() != path || user != "bench" || password != "geheim" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	return API{Base: s.URL + "/", User: "bench", Password: "geheim", Vhost: "v/1"}
}

func TestQueues(t *testing.T) {
	a := serve(t, "/api/queues/v%2F1", `[{"name":"orders"},{"name":"s","type":"stream","consumers":2,"idle_since":"2026-11-22 10:00:00"}]`)
	got, err := a.queues(t.Context())
	if err != nil || len(got) != 2 || got[1].Type != "stream" || got[1].Consumers != 2 {
		t.Fatal(got, err)
	}
	if want := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC); !got[1].used().Equal(want) {
		t.Errorf("used at %v, want %v", got[1].used(), want)
	}
	if ago := time.Since(got[0].used()); ago > time.Minute {
		t.Errorf("used %v ago, although it is not idle", ago)
	}
	if _, err := a.exchanges(t.Context()); err == nil || strings.Contains(err.Error(), "geheim") {
		t.Errorf("another path: %v", err)
	}
}

func TestRunningNodesAreCounted(t *testing.T) {
	a := serve(t, "/api/nodes", `[{"running":true},{"running":false},{"running":true}]`)
	if known, running, err := a.nodes(t.Context()); err != nil || known != 3 || running != 2 {
		t.Error(known, running, err)
	}
}

func TestTicktime(t *testing.T) {
	for answer, want := range map[string]string{`[{"running":true},{"net_ticktime":60}]`: "60s", `[{}]`: ""} {
		if got, err := serve(t, "/api/nodes", answer).ticktime(t.Context()); err != nil || got != want {
			t.Errorf("%s: %q, %v", answer, got, err)
		}
	}
}

// RabbitMQ answers 500 while a queue that it lists is being removed.
func TestAFailedServerIsAskedAgain(t *testing.T) {
	for failures, asked := range map[int]int{0: 1, 2: 3, 9: 3} {
		got := 0
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if got++; got <= failures {
				w.WriteHeader(http.StatusInternalServerError)
			}
			_, _ = io.WriteString(w, `[{"name":"q"}]`)
		}))
		queues, err := API{Base: s.URL}.queues(t.Context())
		s.Close()
		if got != asked || (err == nil) != (failures < asked) || (err == nil) != (len(queues) == 1) {
			t.Errorf("%d failures: asked %d times, %v, %v", failures, got, queues, err)
		}
	}
}

func TestDecodeRefusesLongAnswers(t *testing.T) {
	answer := `[{"name":"brokerbench"}` + strings.Repeat(" ", 1<<20) + `]`
	if _, err := decode[[]object](strings.NewReader(answer), 1<<20); !strings.Contains(fmt.Sprint(err), "1 MiB") {
		t.Error(err)
	}
	if list, err := decode[[]object](strings.NewReader(answer), 2<<20); err != nil || len(list) != 1 {
		t.Error(list, err)
	}
}

func TestUsualBases(t *testing.T) {
	for addr, want := range map[string][2]string{
		"h:5672":    {"http://h:15672", "https://h:15671"},
		"[::1]:552": {"http://[::1]:15672", "https://[::1]:15671"},
	} {
		for i, encrypted := range []bool{false, true} {
			a := API{Addrs: []string{addr, addr}, Encrypted: encrypted}
			if got := a.bases(); !slices.Equal(got, []string{want[i], want[i]}) {
				t.Errorf("the APIs of %s are at %v, want %s", addr, got, want[i])
			}
			a.Base = "http://api"
			if got := a.bases(); !slices.Equal(got, []string{"http://api", want[i]}) {
				t.Errorf("with one that is named, the APIs of %s are at %v", addr, got)
			}
		}
	}
}
