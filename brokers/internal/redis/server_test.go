package redis

import (
	"fmt"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/redis/go-redis/v9"
)

// A broker is a real Redis server of the test's own: it may be stopped, and its
// settings changed.
type broker struct {
	port string
	file string // with its configuration; "": none
	args []string
	dir  string // its data, which a restart finds again
	cmd  *exec.Cmd
	done chan struct{}
}

// serve starts a Redis server on a free loopback port, which ends with the test.
func serve(t testing.TB, args ...string) *broker {
	t.Helper()
	return serveFile(t, "", append([]string{"--save", "", "--appendonly", "no"}, args...)...)
}

// serveFile starts one with a configuration of its own.
func serveFile(t testing.TB, file string, args ...string) *broker {
	t.Helper()
	needServer(t)
	_, port, _ := net.SplitHostPort(brokertest.Refusing(t))
	b := &broker{port: port, file: file, args: args, dir: t.TempDir()}
	b.start(t)
	t.Cleanup(b.halt)
	return b
}

// needServer skips a test that starts servers on a machine that has none.
func needServer(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Skipf("NO REAL BROKER: %v; a server of the test's own is needed", err)
	}
}

// start starts the server and waits until it answers.
func (b *broker) start(t testing.TB) {
	t.Helper()
	var file []string
	if b.file != "" {
		file = []string{b.file}
	}
	b.cmd = exec.Command("redis-server", append(append(file, "--port", b.port, "--bind", "127.0.0.1"), b.args...)...)
	b.cmd.Dir = b.dir
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	b.done = make(chan struct{})
	go func(cmd *exec.Cmd, done chan struct{}) { _ = cmd.Wait(); close(done) }(b.cmd, b.done)
	requestertest.Until(t, "redis-server answers", func() bool {
		c, err := net.Dial("tcp", "127.0.0.1:"+b.port)
		if err != nil {
			return false
		}
		defer func() { _ = c.Close() }()
		_ = c.SetDeadline(time.Now().Add(time.Second)) // another program may have the port
		_, _ = c.Write([]byte("PING\r\n"))
		_, err = c.Read(make([]byte, 1)) // only when it listens with TLS, too
		return err == nil
	})
}

// halt kills the server and waits for its end. It may be called again.
func (b *broker) halt() {
	_ = b.cmd.Process.Kill()
	<-b.done
}

// url returns the server's URL, with what stands before the host and behind the
// port.
func (b *broker) url(user, rest string) string {
	return fmt.Sprintf("redis://%s127.0.0.1:%s%s", user, b.port, rest)
}

func openURL(t testing.TB, url string) *Factory {
	t.Helper()
	return brokertest.Opened(t, Open, url, "")
}

// targets runs f against the real servers that are given.
func targets(t *testing.T, f func(t *testing.T, url string)) {
	t.Run("given", func(t *testing.T) { f(t, brokertest.URL(t, "REDIS")) })
	t.Run("given TLS", func(t *testing.T) { f(t, brokertest.URL(t, "REDIS_TLS")) })
}

// do sends a command to the server of f, such as "CONFIG SET a b".
func do(t testing.TB, f *Factory, command string) (result any) {
	t.Helper()
	err := f.with(t.Context(), "asking", func(client *redis.Client) (err error) {
		var args []any
		for _, word := range strings.Split(command, "|") {
			args = append(args, word)
		}
		result, err = client.Do(t.Context(), args...).Result()
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return result
}

// subscribers returns how many are subscribed to l's channel.
func subscribers(t testing.TB, l *requestertest.Link) (n int64) {
	t.Helper()
	c := l.Requester.(*conn)
	err := c.factory.with(t.Context(), "asking", func(client *redis.Client) error {
		counts, err := client.PubSubNumSub(t.Context(), c.channel).Result()
		n = counts[c.channel]
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
