package child

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/echo"
	"github.com/brokerbench/brokerbench/internal/leaf/self"
	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// echoCommand starts this program as an echo. Standard input passes the target, which may
// contain a password.
const echoCommand = "echo-child"

// How long an echo may take to answer, besides setting up its connections. One that does not
// is killed.
const (
	beginLimit  = 15 * time.Second
	reportLimit = 5 * time.Second
	closeLimit  = 15 * time.Second
)

// An EchoConfig says what an echo sends back.
type EchoConfig struct {
	URL         string // of the target, which may hold a password
	Run         string // of the names to which the callers send
	Connections int
	Size        int // of a message, in bytes
}

// An Echo echoes this process's messages from a child process, which ends with this process. It
// implements [measure.Echo].
type Echo struct {
	EchoConfig

	mu    sync.Mutex
	child *self.Process // nil before Open
	left  []string      // on the target, if it ends now
	ended bool
}

// Open implements [measure.Echo].
func (e *Echo) Open(ctx context.Context) (opened measure.EchoOpened, err error) {
	if e.child, err = self.Start("echo", echoCommand); err != nil {
		return opened, err
	}
	defer context.AfterFunc(ctx, e.child.Kill)()
	a, err := e.ask(0, echoQuestion{Do: echoOpen, EchoConfig: e.EchoConfig})
	if err != nil {
		return opened, err // the caller closes it
	}
	e.left = a.Left
	if host, ok := machine.NewHostClock(); ok && a.Clocks {
		opened = measure.EchoOpened{Clock: host.At, Known: &results.EchoClock{Source: "one machine: both read CLOCK_MONOTONIC"}}
	}
	return opened, nil
}

// Started implements [measure.Echo]: hiccups and processor time count from now.
func (e *Echo) Started() { _, _ = e.ask(beginLimit, echoQuestion{Do: echoBegin}) } // Report has the error

// Report implements [measure.Echo]. An echo that does not answer is lost.
func (e *Echo) Report() measure.EchoReport {
	a, err := e.ask(reportLimit, echoQuestion{Do: echoReport})
	r := measure.EchoReport{Echo: a.Report}
	if err == nil {
		err = a.histograms(&r)
	}
	if err != nil {
		r = measure.EchoReport{Echo: results.Echo{Lost: err.Error()}}
	}
	r.Kind = string(plan.EchoProcess)
	return r
}

// Close implements [measure.Echo].
func (e *Echo) Close() (left []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended || e.child == nil {
		return e.left
	}
	e.ended = true
	if a, err := e.exchange(closeLimit, echoQuestion{Do: echoClose}); err == nil {
		e.left = a.Left
	}
	_ = e.child.Stop() // it has ended, or is killed
	return e.left
}

// The requests to an echo.
const (
	echoOpen   = "open"
	echoBegin  = "begin"
	echoReport = "report"
	echoClose  = "close"
)

type echoQuestion struct {
	Do string
	EchoConfig
}

type echoAnswer struct {
	Error  string
	Clocks bool // it stamps by the machine's clock: see [machine.HostClock]
	Left   []string
	Report results.Echo // without the distributions
	Log    string       // the histograms
}

// The tags of the histograms.
const (
	handlingTag = "handling"
	hiccupTag   = "hiccup"
)

// histograms reads the histograms into a report.
func (a echoAnswer) histograms(r *measure.EchoReport) error {
	log, err := histogram.ReadLog(strings.NewReader(a.Log))
	if err != nil {
		return fmt.Errorf("reading the report of the echo: %w", err)
	}
	if r.Handling, err = log.Merged(handlingTag); err == nil {
		r.Hiccup, err = log.Merged(hiccupTag)
	}
	return err
}

func (e *Echo) ask(limit time.Duration, q echoQuestion) (echoAnswer, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended {
		return echoAnswer{}, errors.New("the echo has ended")
	}
	return e.exchange(limit, q)
}

// exchange asks the child, which may take so long; 0 is for ever. The caller holds the lock.
func (e *Echo) exchange(limit time.Duration, q echoQuestion) (a echoAnswer, err error) {
	question, err := json.Marshal(q)
	if err != nil {
		return a, fmt.Errorf("asking the echo: %w", err)
	}
	text, err := e.child.AskWithin(limit, string(question), q.Do)
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return a, fmt.Errorf("reading what the echo says: %w", err)
	}
	if a.Error != "" {
		return a, errors.New(a.Error)
	}
	return a, nil
}

// An Opener opens a factory for a target.
type Opener func(url, run string) (requester.Factory, error)

// ServeEcho runs this process as an echo if args are those of one, as [Serve] does.
func ServeEcho(args []string, in io.Reader, out io.Writer, open Opener) (isChild bool, err error) {
	if len(args) != 1 || args[0] != echoCommand {
		return false, nil
	}
	s := &echoServer{open: open}
	err = self.Answer(in, out, "ready", s.answer)
	s.end()
	return true, err
}

// An echoServer is the child.
type echoServer struct {
	open    Opener
	echo    *echo.Echo
	sampler *machine.Sampler
	hiccups *histogram.Recorder
	stop    func() // of hiccups
}

func (s *echoServer) answer(question string) string {
	var q echoQuestion
	var a echoAnswer
	err := json.Unmarshal([]byte(question), &q)
	switch {
	case err != nil:
	case q.Do == echoOpen:
		a, err = s.begin(q.EchoConfig)
	case s.echo == nil:
		err = errors.New("the echo is not open")
	case q.Do == echoBegin:
		s.observe()
	case q.Do == echoReport:
		a, err = s.report()
	default:
		a.Left = s.end()
	}
	if err != nil {
		a = echoAnswer{Error: err.Error()}
	}
	text, err := json.Marshal(a)
	if err != nil {
		return err.Error() // which is no answer
	}
	return string(text)
}

func (s *echoServer) begin(cfg EchoConfig) (a echoAnswer, err error) {
	f, err := s.open(cfg.URL, cfg.Run)
	if err != nil {
		return a, err
	}
	echoer, ok := requester.As[requester.Echoer](f)
	if !ok {
		return a, fmt.Errorf("an echo is not possible: %T receives only what it sends itself", f)
	}
	if err := echoer.TakeSide(requester.Echo); err != nil {
		return a, err
	}
	c := echo.Config{Factory: f, Connections: cfg.Connections, Size: cfg.Size}
	clock, ok := machine.NewHostClock()
	if ok {
		c.Clock = clock.Now
	}
	s.echo, err = echo.Open(context.Background(), c)
	if err != nil {
		return a, err
	}
	return echoAnswer{Clocks: ok, Left: s.echo.Left()}, nil
}

// observe begins to count processor time and hiccups.
func (s *echoServer) observe() {
	if s.stop == nil {
		s.hiccups, s.sampler = histogram.NewRecorder(1, 1), machine.NewSampler()
		s.stop = machine.ObserveHiccups(func(d time.Duration) {
			samples := [1]histogram.Sample{{Value: d}}
			s.hiccups.Record(0, samples[:])
		})
	}
}

func (s *echoServer) report() (a echoAnswer, err error) {
	did := s.echo.Report()
	a.Report = results.Echo{Received: did.Received, Failed: did.Failed, Cause: did.Cause, Busy: did.Busy}
	var text bytes.Buffer
	log := histogram.NewLogWriter(&text, time.Now())
	err = log.Write(handlingTag, 0, time.Second, did.Handling)
	if s.stop != nil {
		h := histogram.New()
		s.hiccups.Swap([]*histogram.Histogram{h})
		a.Report.CPUCores = s.sampler.Sample(func() {}).Process.CPUCores
		err = errors.Join(err, log.Write(hiccupTag, 0, time.Second, h))
	}
	a.Log = text.String()
	return a, err
}

// end ends the echo, and returns what it could not remove.
func (s *echoServer) end() (left []string) {
	if s.stop != nil {
		s.stop()
		s.stop = nil
	}
	if s.echo != nil {
		_ = s.echo.Close() // what is left says it
		left = s.echo.Left()
		s.echo = nil
	}
	return left
}
