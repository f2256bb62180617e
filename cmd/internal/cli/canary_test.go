//go:build linux

package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/redis/go-redis/v9"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/canary"
)

// Each mistake is exit code 2 and one line.
func TestCanaryMistakes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	other, foreign := t.TempDir(), t.TempDir()
	identity := `{"schema":"brokerbench/canary/1","target":"nats://other:4222","shape":"x"}`
	book := `{"schema":"brokerbench/canary-book/1","period":"2026-11-27T12","id":"a"}`
	for _, sub := range []string{"hours", "days", "months"} {
		if err := os.Mkdir(filepath.Join(other, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"canary.json": identity, "hours/2026-11-27T12.json": book} {
		if err := os.WriteFile(filepath.Join(other, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(foreign, "letter.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "new")
	for name, args := range map[string][]string{
		"no folder":                      {"loopback:"},
		"a folder below a file":          {"loopback:", "--out", filepath.Join(file, "canary")},
		"a folder that cannot be made":   {"loopback:", "--out", "/proc/canary"},
		"a folder of another target":     {"loopback:", "--out", other},
		"a folder with other files":      {"loopback:", "--out", foreign},
		"no rate":                        {"loopback:", "--out", out, "--rate", "0"},
		"an unknown unit":                {"loopback:", "--out", out, "--rate", "10/fortnight"},
		"two rates":                      {"loopback:", "--out", out, "--rate", "1,2"},
		"a rate that changes":            {"loopback:", "--out", out, "--rate", "ramp(1..20, 60s)"},
		"two sizes":                      {"loopback:", "--out", out, "--size", "256B:90%,64KiB:10%"},
		"an address without a port":      {"loopback:", "--out", out, "--listen", "127.0.0.1"},
		"a broker that would be started": {"local:nats", "--out", out},
		"a stream that grows":            {"redis://127.0.0.1:1?stream=read&max-len=0", "--out", out},
		"an audit queue":                 {"amqp://127.0.0.1:1?durability=process&exchange=fanout", "--out", out},
		"an audit table":                 {"postgres://127.0.0.1:1/x?audit-table=true", "--out", out},
		"a bound that excludes a level":  {"nats://127.0.0.1:1?durability=machine", "--out", out},
	} {
		code, stdout, stderr := invoke(append([]string{"canary"}, args...)...)
		if code != command.ExitUsage || stdout != "" || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q, %q", name, code, stdout, stderr)
		}
		t.Logf("%s: %s", name, strings.TrimSpace(stderr))
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a mistake makes a folder")
	}
	if code, _, stderr := invoke("canary", "nats://127.0.0.1:1", "--out", out); code != command.ExitError || !strings.Contains(stderr, "refused") {
		t.Errorf("a new folder of a broker that is away: exit code %d, %q", code, stderr)
	}
}

// A canaryProcess is a canary.
type canaryProcess struct {
	*exec.Cmd
	said strings.Builder
}

func startCanary(t *testing.T, args ...string) *canaryProcess {
	t.Helper()
	p := &canaryProcess{Cmd: exec.Command(os.Args[0], append([]string{"canary"}, args...)...)}
	p.Env, p.Stderr = append(os.Environ(), asProgram+"=1"), &p.said
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() })
	return p
}

// stop interrupts the canary, and returns how long it took to end.
func (p *canaryProcess) stop(t *testing.T) time.Duration {
	t.Helper()
	begun := time.Now()
	if err := p.Process.Signal(syscall.SIGINT); err != nil {
		t.Error(err)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("%v: %s", err, p.said.String())
	}
	return time.Since(begun)
}

// awaitMonth waits until the folder reports something, a minute at most.
func awaitMonth(t *testing.T, dir, what string, good func(canary.Month) bool) canary.Month {
	t.Helper()
	for begun := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		r, err := canary.Read(dir)
		if err == nil && len(r.Months) > 0 && good(r.Months[0]) {
			return r.Months[0]
		}
		if time.Since(begun) > time.Minute {
			t.Fatalf("no %s: %v, %+v", what, err, r)
		}
	}
}

// A canary that is killed goes on: the time in between is a gap, and no message of it counts as done.
func TestACanaryIsKilledAndResumes(t *testing.T) {
	t.Parallel()
	s, dir := server(t), filepath.Join(t.TempDir(), "canary")
	args := []string{s.URL, "--rate", "100", "--out", dir, "--timeout", "2s"}
	first := startCanary(t, args...)
	before := awaitMonth(t, dir, "flush", func(m canary.Month) bool { return m.Response.Count > 500 })
	time.Sleep(3 * time.Second) // these are lost with the process
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	time.Sleep(2 * time.Second)
	second := startCanary(t, args...)
	awaitMonth(t, dir, "second flush", func(m canary.Month) bool { return m.Response.Count > before.Response.Count+500 })
	took := second.stop(t)
	r, err := canary.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	m := r.Months[0]
	if took > 7*time.Second || len(m.Gaps) != 1 || m.Gaps[0].To.Sub(m.Gaps[0].From) < 4*time.Second || m.NotMeasured < 400 || m.Response.Count != m.Ledger.Done {
		t.Errorf("ended after %v; gaps %v, %d not measured, %d values, %+v", took, m.Gaps, m.NotMeasured, m.Response.Count, m.Ledger)
	}
	code, text, stderr := invoke("report", dir)
	wantCode(t, code, command.ExitGood, stderr)
	if !strings.Contains(text, "not measured") || !strings.Contains(text, "was down") {
		t.Error(text)
	}
	for _, format := range []string{"md", "json", "csv", "html"} {
		code, text, stderr := invoke("report", dir, "--format", format, "-o", "-")
		wantCode(t, code, command.ExitGood, stderr)
		var read canary.Report
		if format == "json" && (json.Unmarshal([]byte(text), &read) != nil || read.Months[0].NotMeasured != m.NotMeasured) {
			t.Errorf("%s", text)
		}
	}
	t.Logf("%+v, %d not measured in %v; ended after %v", m.Ledger, m.NotMeasured, m.Gaps, took)
}

// A canary ends soon, also if its broker answers nothing any more, and has written everything.
func TestACanaryEndsSoon(t *testing.T) {
	t.Parallel()
	for interrupts, limit := range map[int]time.Duration{1: 8 * time.Second, 2: 3 * time.Second} {
		s, dir := server(t), filepath.Join(t.TempDir(), "canary")
		p := startCanary(t, s.URL, "--rate", "50", "--out", dir, "--timeout", "30s")
		before := awaitMonth(t, dir, "flush", func(m canary.Month) bool { return m.Response.Count > 100 })
		if err := syscall.Kill(s.PID, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		if interrupts == 2 {
			if err := p.Process.Signal(syscall.SIGINT); err != nil {
				t.Error(err)
			}
			time.Sleep(200 * time.Millisecond)
		}
		took := p.stop(t)
		if err := syscall.Kill(s.PID, syscall.SIGCONT); err != nil {
			t.Error(err)
		}
		m := awaitMonth(t, dir, "end", func(canary.Month) bool { return true })
		if took > limit || m.Ledger.Check() != nil || m.Ledger.Missing() < 80 || m.Ledger.Done < before.Ledger.Done || m.Response.Count != m.Ledger.Done {
			t.Errorf("%d interrupts: ended after %v, %+v, %d values; before it %+v", interrupts, took, m.Ledger, m.Response.Count, before.Ledger)
		}
		t.Logf("%d interrupts: ended after %v, %+v", interrupts, took, m.Ledger)
	}
}

// Each broker dies, and returns: messages that are due meanwhile are missing, and the canary goes on.
func TestACanaryOutlivesItsBroker(t *testing.T) {
	if testing.Short() || os.Getenv("BROKERBENCH_NATS_URL") == "" {
		t.Skip("NO REAL BROKER: BROKERBENCH_NATS_URL is not set; see deploy/local/brokers")
	}
	for _, name := range []string{"nats", "redis", "rabbitmq", "kafka"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, do := ownBroker(t, name)
			dir := filepath.Join(t.TempDir(), "canary")
			p := startCanary(t, url, "--rate", "20", "--out", dir, "--timeout", "3s")
			awaitMonth(t, dir, "flush", func(m canary.Month) bool { return m.Response.Count > 100 })
			do("stop")
			time.Sleep(8 * time.Second)
			do("start")
			m := awaitMonth(t, dir, "return", func(m canary.Month) bool {
				return m.Ledger.Missing() > 100 && m.Response.Count > 400
			})
			took := p.stop(t)
			if err := m.Ledger.Check(); err != nil || took > 8*time.Second || m.NotMeasured != 0 || len(m.Gaps) != 0 {
				t.Errorf("%v, ended after %v, %d not measured in %v", err, took, m.NotMeasured, m.Gaps)
			}
			t.Logf("%+v; outages %v; %s", m.Ledger, m.Outages, p.said.String())
		})
	}
}

// What brokers keep of a canary does not grow, as they say themselves, and nothing is left.
func TestWhatACanaryKeepsOnBrokers(t *testing.T) {
	urls := realURLs(t, "")
	for _, one := range []struct {
		name, options string
		most          int64                                                                        // messages
		kept          func(ctx context.Context, url string) (messages map[string]int64, err error) // by name
	}{
		{"nats", "stream=memory&max-age=2s", 150, keptByNATS},
		{"redis", "stream=read&max-len=100", 250, keptByRedis}, // it trims about
		{"rabbitmq", "", 50, keptByRabbitMQ},
		{"kafka", "", 1 << 30, keptByKafka}, // it looks every five minutes: the topic's settings tell
	} {
		url, ok := urls[one.name]
		if !ok {
			continue
		}
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "canary")
			if one.name == "redis" {
				url += "/9" // where nothing else is
			}
			with := url
			if one.options != "" {
				with += map[bool]string{true: "&", false: "?"}[strings.Contains(url, "?")] + one.options
			}
			others, err := one.kept(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			own := func() (things int, messages int64) {
				kept, err := one.kept(t.Context(), url)
				if err != nil {
					t.Error(err)
				}
				for name, n := range kept {
					if _, other := others[name]; !other {
						things, messages = things+1, messages+n
					}
				}
				return things, messages
			}
			p := startCanary(t, with, "--rate", "50", "--out", dir)
			awaitMonth(t, dir, "15 s", func(m canary.Month) bool { return m.Response.Count > 750 })
			things, messages := own()
			if things != 1 || messages > one.most {
				t.Errorf("%d things with %d messages, want 1 with %d at most", things, messages, one.most)
			}
			p.stop(t)
			if left, _ := own(); left != 0 {
				t.Errorf("%d things are left", left)
			}
			t.Logf("%d things with %d messages after 15 s at 50/s", things, messages)
		})
	}
}

func keptByNATS(ctx context.Context, url string) (kept map[string]int64, err error) {
	kept = make(map[string]int64)
	c, err := nats.Connect(url)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	js, err := jetstream.New(c)
	if err != nil {
		return nil, err
	}
	streams := js.ListStreams(ctx)
	for info := range streams.Info() {
		if strings.HasPrefix(info.Config.Name, "brokerbench_") && info.Config.MaxAge == 2*time.Second {
			kept[info.Config.Name] = int64(info.State.Msgs)
		}
	}
	return kept, streams.Err()
}

func keptByRedis(ctx context.Context, url string) (kept map[string]int64, err error) {
	kept = make(map[string]int64)
	o, err := redis.ParseURL(url)
	if err != nil {
		return nil, err
	}
	c := redis.NewClient(o)
	defer c.Close()
	keys, err := c.Keys(ctx, "brokerbench.*").Result()
	for _, key := range keys {
		n, err := c.XLen(ctx, key).Result()
		if err != nil {
			return nil, err
		}
		kept[key] = n
	}
	return kept, err
}

func keptByRabbitMQ(ctx context.Context, text string) (kept map[string]int64, err error) {
	kept = make(map[string]int64)
	u, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.Query().Get("management")+"/api/queues", nil)
	if err != nil {
		return nil, err
	}
	password, _ := u.User.Password()
	request.SetBasicAuth(u.User.Username(), password)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var queues []struct {
		Name      string
		Messages  int64
		Arguments struct {
			MaxLength int64 `json:"x-max-length"`
		}
	}
	err = json.NewDecoder(response.Body).Decode(&queues)
	for _, q := range queues {
		if strings.HasPrefix(q.Name, "brokerbench.") && q.Arguments.MaxLength == 10_000 {
			kept[q.Name] = q.Messages
		}
	}
	return kept, err
}

func keptByKafka(ctx context.Context, url string) (kept map[string]int64, err error) {
	kept = make(map[string]int64)
	hosts := strings.Split(strings.TrimPrefix(strings.Split(url, "?")[0], "kafka://"), ",")
	c, err := kgo.NewClient(kgo.SeedBrokers(hosts...))
	if err != nil {
		return nil, err
	}
	defer c.Close()
	admin := kadm.NewClient(c)
	topics, err := admin.ListTopics(ctx)
	for _, topic := range topics.Names() {
		if !strings.HasPrefix(topic, "brokerbench.") {
			continue
		}
		configs, err := admin.DescribeTopicConfigs(ctx, topic)
		if err != nil {
			return nil, err
		}
		set := make(map[string]string)
		for _, c := range configs[0].Configs {
			if c.Value != nil {
				set[c.Key] = *c.Value
			}
		}
		if set["retention.ms"] == "600000" && set["segment.ms"] == "600000" {
			kept[topic] = 0
		}
	}
	return kept, err
}
