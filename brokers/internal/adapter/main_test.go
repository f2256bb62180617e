package adapter

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/internal/leaf/poll"
	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/requester"
)

// be makes this test binary an adapter that behaves as the word after it says.
const be = "be-an-adapter"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == be {
		if err := behave(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3) //nolint:forbidigo // this is a main function
		}
		return
	}
	os.Exit(m.Run()) //nolint:forbidigo // this is a main function
}

// behaving returns a factory whose adapter is this test binary.
func behaving(t testing.TB, how string) *Factory {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return factory(t, fmt.Sprintf("'%s' %s %s", program, be, how))
}

func factory(t testing.TB, command string) *Factory {
	t.Helper()
	parsed, err := target.Parse("exec:" + command)
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(parsed, "run")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// behave is the adapters of the tests: echoes, but for their message 3, or for how they begin or end.
func behave(how []string) error {
	switch how[0] {
	case "echo":
		return Echo(os.Stdin, os.Stdout)
	case "silent":
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	case "stubborn", "leaves":
		sleeper := exec.Command("sleep", "600")
		if err := sleeper.Start(); err != nil {
			return err
		}
		err := os.WriteFile(how[1], fmt.Appendf(nil, "%d %d", os.Getpid(), sleeper.Process.Pid), 0o600)
		_ = Echo(os.Stdin, os.Stdout)
		if how[0] == "stubborn" {
			time.Sleep(time.Hour)
		}
		return err
	case "parent":
		return beParent(how[1])
	}
	return misbehave(how[0])
}

func misbehave(how string) error {
	in, out := bufio.NewReader(os.Stdin), os.Stdout
	var most atomic.Uint32
	most.Store(1 << 30)
	var stored [][]byte
	for n := 0; ; {
		f, err := readHead(in, &most)
		if err != nil {
			return nil //nolint:nilerr // the input has ended
		}
		body, err := readBody(in, f, nil)
		if err != nil {
			return err
		}
		answer := appendFrame(nil, f.kind, f.conn, nil)
		switch {
		case f.kind == hello && how == "version":
			answer = appendFrame(nil, hello, 0, []byte("protocol=2\n"))
		case f.kind == hello && how == "prints":
			answer = []byte("connecting to the broker...\n")
		case f.kind == hello && how == "no-echo" && fields(body)["echo"] == "true":
			return errors.New("the echo has no port")
		case f.kind == hello && (how == "limits" || how == "no-echo"):
			answer = appendFrame(nil, hello, 0, []byte("protocol=1\nproduct=P\nversion=nats://token@h\nclient=amqp://u:secret@h\nacknowledges=true\nin-flight=5\ndurability=process\naudit=true\necho=true\nsetting.b=2\nsetting.a=redis://:secret@h\n"))
		case f.kind == hello:
			answer = appendFrame(nil, hello, 0, []byte("protocol=1\nacknowledges=true\naudit=true\n"))
		case f.kind == audit:
			if answer, err = auditOf(how, f.conn, stored); err != nil {
				return err
			}
		case f.kind == setup && how == "refuses":
			answer = appendFrame(nil, failure, f.conn, []byte("no such queue"))
		case f.kind == send && len(body) < requester.StampSize:
			answer = appendFrame(nil, reply, f.conn, body)
		case f.kind == send:
			n++
			stored = append(stored, body)
			if answer, err = answerTo(how, n, f.conn, body); err != nil {
				return err
			}
		}
		if _, err := out.Write(answer); err != nil {
			return err
		}
	}
}

// auditOf is the answer to audit of an adapter that has these messages.
func auditOf(how string, conn uint32, stored [][]byte) (answer []byte, err error) {
	switch how {
	case "audit-dies":
		return nil, errors.New("the disk is gone")
	case "audit-refuses":
		return appendFrame(nil, failure, conn, []byte("the topic is gone")), nil
	case "audit-garbage":
		return []byte("reading the store...\n"), nil
	case "audit-stranger":
		return appendFrame(nil, kept, 0, stored[0]), nil
	case "audit-endless":
		for {
			if _, err := os.Stdout.Write(appendFrame(nil, kept, conn, stored[0])); err != nil {
				return nil, nil //nolint:nilerr // brokerbench has enough of it
			}
		}
	}
	for _, message := range stored {
		answer = appendFrame(answer, kept, conn, message)
	}
	return appendFrame(answer, audit, conn, nil), nil
}

// answerTo is the answer to message n.
func answerTo(how string, n int, conn uint32, body []byte) ([]byte, error) {
	good := appendFrame(appendFrame(nil, reply, conn, body), acked, conn, body[:requester.StampSize])
	switch {
	case n != 3:
		return good, nil
	case how == "dies":
		return nil, fmt.Errorf("starting\nno memory left")
	case how == "garbage":
		return append(good, "a message came in\n"...), nil
	case how == "huge":
		return append(good, 0, 0, 0, 0x30, reply, 0, 0, 0, 0, 0, 0, 0), nil
	case how == "stranger":
		return appendFrame(good, reply, 77, body), nil
	case how == "twice":
		return append(good, good...), nil
	case how == "swallows":
		return nil, nil
	case how == "fails":
		return appendFrame(nil, failed, conn, append(body[:requester.StampSize:requester.StampSize], "the queue is full"...)), nil
	case how == "talks":
		long := "one\ntwo\x1b" + strings.Repeat("é", 5000)
		good = appendFrame(good, event, conn, []byte(long))
		return appendFrame(good, failed, conn, append(body[:requester.StampSize:requester.StampSize], long...)), nil
	case how == "shouts":
		return appendFrame(good, event, conn, body), nil
	case how == "escapes":
		sleeper := exec.Command("sleep", "45") // longer than the test waits
		process.OwnGroup(sleeper)
		sleeper.Stdin, sleeper.Stdout, sleeper.Stderr = os.Stdin, os.Stdout, os.Stderr
		return nil, errors.Join(sleeper.Start(), errors.New("no memory left"))
	case how == "hangs":
		select {}
	case how == "floods":
		text, frames := make([]byte, 1<<20), appendFrame(nil, reply, conn, body)
		for range 200 {
			_, _ = os.Stderr.Write(text)
		}
		for range 100_000 {
			if _, err := os.Stdout.Write(frames); err != nil {
				return nil, nil //nolint:nilerr // brokerbench has enough of it
			}
		}
	}
	return good, nil
}

// beParent sets up a connection to a stubborn adapter, and waits to be killed.
func beParent(file string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	f, err := New(target.Target{Scheme: Scheme, Command: fmt.Sprintf("'%s' %s stubborn %s", program, be, file)}, "run")
	if err != nil {
		return err
	}
	f.said = map[string]string{}
	c, err := f.New(0, requester.Replies(func([]byte) {}))
	if err == nil {
		err = c.Setup(context.Background())
	}
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(os.Stdout, "set up")
	time.Sleep(time.Hour)
	return nil
}

// wantEnded wants processes whose numbers are in a file to end.
func wantEnded(t *testing.T, file string, which ...int) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pids := make([]int, 2)
	if _, err := fmt.Sscan(string(text), &pids[0], &pids[1]); err != nil {
		t.Fatal(err)
	}
	for _, i := range which {
		id, _ := process.Find(pids[i])
		poll.Until(t, 10*time.Second, func() bool { return !id.Alive() }, "process %d of the adapter goes on", pids[i])
	}
}
