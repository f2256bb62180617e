package ssh

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// stopTimeout is how long the program may take to end once its standard input has.
const stopTimeout = 10 * time.Second

// longestLine is the longest question or answer, in bytes.
const longestLine = 4 << 20

// A Session is a connection to the program on another machine, which answers questions until the
// session ends. It is safe for concurrent use.
type Session struct {
	Ready string // the program's first line

	host  string
	cmd   *exec.Cmd
	stdin io.WriteCloser
	said  process.Tail
	ended chan struct{}
	err   error // of Wait; once ended is closed

	mu      sync.Mutex
	asked   int
	waiting map[int]chan<- string // for answers, by the number of the question
}

// Open starts the program on a host where it was installed, with such arguments, and waits for its first
// line. The program calls [Answer]. The caller calls Close.
func (p *Program) Open(ctx context.Context, host, args string) (*Session, error) {
	words := p.Words(host, args)
	s := &Session{host: host, cmd: exec.Command(words[0], words[1:]...), ended: make(chan struct{}), waiting: make(map[int]chan<- string)} //nolint:gosec,noctx // the user's own ssh; Close ends it
	out, in := io.Pipe()
	s.cmd.Stdout, s.cmd.Stderr = in, &s.said
	s.cmd.WaitDelay = time.Second // an ssh may leave its connection to others
	process.OwnGroup(s.cmd)
	var err error
	if s.stdin, err = s.cmd.StdinPipe(); err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", host, err)
	}
	go func() {
		if s.err = s.cmd.Wait(); errors.Is(s.err, exec.ErrWaitDelay) {
			s.err = nil
		}
		_ = in.Close()
		close(s.ended)
	}()
	first := make(chan string, 1)
	go s.read(out, first)
	select {
	case s.Ready = <-first:
		go s.beat()
		return s, nil
	case <-s.ended:
		return nil, s.why()
	case <-ctx.Done():
		_ = s.Close()
		return nil, fmt.Errorf("%s: %w", host, context.Cause(ctx))
	}
}

// read passes on what the program answers.
func (s *Session) read(out io.Reader, first chan<- string) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, longestLine)
	if lines.Scan() {
		first <- lines.Text()
	}
	for lines.Scan() {
		number, answer, _ := strings.Cut(lines.Text(), " ")
		n, _ := strconv.Atoi(number) // the numbers begin with 1
		if to := s.forget(n); to != nil {
			to <- answer
		}
	}
	_, _ = io.Copy(io.Discard, out) // after a line that is too long
}

// beat tells the program again and again that this process is there.
func (s *Session) beat() {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-s.ended:
			return
		case <-tick.C:
			s.mu.Lock()
			_, _ = io.WriteString(s.stdin, "\n") // ended is closed soon if that fails
			s.mu.Unlock()
		}
	}
}

// forget returns where an answer goes, once; nil if nobody waits for it.
func (s *Session) forget(n int) chan<- string {
	s.mu.Lock()
	defer s.mu.Unlock()
	to := s.waiting[n]
	delete(s.waiting, n)
	return to
}

// Ask sends the program a question as JSON, and reads the answer as JSON. Its errors name the host.
func (s *Session) Ask(ctx context.Context, question, answer any) error {
	text, err := json.Marshal(question)
	if err != nil {
		return fmt.Errorf("%s: asking: %w", s.host, err)
	}
	got := make(chan string, 1)
	s.mu.Lock()
	s.asked++
	n := s.asked
	s.waiting[n] = got
	_, _ = fmt.Fprintf(s.stdin, "%d %s\n", n, text) // ended is closed soon if that fails
	s.mu.Unlock()
	defer s.forget(n)
	select {
	case line := <-got:
		if err := json.Unmarshal([]byte(line), answer); err != nil {
			return fmt.Errorf("%s: reading its answer: %w", s.host, err)
		}
		return nil
	case <-s.ended:
		return s.why()
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", s.host, context.Cause(ctx))
	}
}

// Alive reports whether the session goes on.
func (s *Session) Alive() bool {
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// why says why the session ended.
func (s *Session) why() error {
	err := s.err
	if err == nil {
		err = errors.New("the program ended")
	}
	if said := s.said.LastLine(); said != "" {
		return fmt.Errorf("%s: %w: %s", s.host, err, said)
	}
	return fmt.Errorf("%s: the connection is lost: %w", s.host, err)
}

// Close ends the program, and returns when it has ended or its connection was cut, with an error if it fails
// then. Of a session that ended before, Ask has told why. It is safe to call twice.
func (s *Session) Close() error {
	if !s.Alive() {
		return nil
	}
	_ = s.stdin.Close()
	select {
	case <-s.ended:
	case <-time.After(stopTimeout):
		_ = s.cmd.Process.Kill()
		<-s.ended
		return fmt.Errorf("%s: the program does not end", s.host)
	}
	if s.err != nil {
		return s.why()
	}
	return nil
}

// ErrSilent means that a session was silent for so long that its other side must be gone.
var ErrSilent = errors.New("the connection is lost")

// Answer is the program's side of a [Session]: it writes the first line, and answers each question, several
// at a time. It returns when in ends, or after ErrSilent if in is silent for longer than lease. It does not
// wait for answers that are under way.
func Answer(in io.Reader, out io.Writer, ready string, lease time.Duration, reply func(question []byte) any) error {
	if _, err := fmt.Fprintln(out, ready); err != nil {
		return fmt.Errorf("answering: %w", err)
	}
	lines := make(chan string)
	over := make(chan error, 1)
	done := make(chan struct{})
	defer close(done)
	go func() {
		scan := bufio.NewScanner(in)
		scan.Buffer(nil, longestLine)
		for scan.Scan() {
			select {
			case lines <- scan.Text():
			case <-done:
				return
			}
		}
		over <- scan.Err()
	}()
	var writing sync.Mutex
	for {
		select {
		case line := <-lines:
			if n, question, ok := strings.Cut(line, " "); ok {
				go func() {
					text, _ := json.Marshal(reply([]byte(question))) // plain data
					writing.Lock()
					defer writing.Unlock()
					fmt.Fprintf(out, "%s %s\n", n, text) // in ends if nobody reads
				}()
			}
		case err := <-over:
			return err
		case <-time.After(lease):
			return ErrSilent
		}
	}
}
