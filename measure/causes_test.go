package measure

import (
	"slices"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/causes"
	"github.com/brokerbench/brokerbench/internal/leaf/cause"
	"github.com/brokerbench/brokerbench/internal/loopback"
)

// standstills are samples of a node that stands still now and then.
type standstills struct {
	freezes []loopback.Freeze
	calls   []string
	ticks   int
	length  time.Duration
}

func (s *standstills) Prepare(length time.Duration) {
	s.calls, s.length = append(s.calls, "prepare"), length
	time.Sleep(200 * ms) // no message waits for it
}

func (s *standstills) Tick() {
	if s.ticks++; s.ticks == 1 {
		s.calls = append(s.calls, "tick")
	}
}

func (s *standstills) Begin(time.Time) { s.calls = append(s.calls, "begin") }

func (s *standstills) End(to *cause.Samples) {
	s.calls = append(s.calls, "end")
	to.EndsNS = []int64{0}
	one := cause.Series{Cause: cause.Stopped, Where: "n1", Kind: cause.Time}
	for i := range int(s.length / (10 * ms)) {
		to.EndsNS = append(to.EndsNS, int64(10*ms))
		if at := time.Duration(i) * 10 * ms; slices.ContainsFunc(s.freezes, func(p loopback.Freeze) bool { return at >= p.At && at < p.At+p.For }) {
			one.Put(i, 10_000)
		}
	}
	to.Samples, to.Series = len(to.EndsNS)-1, []cause.Series{one}
}

// The pauses of a target that stands still now and then have that cause, and the samples are in the folder.
func TestACauseIsFound(t *testing.T) {
	s := &standstills{}
	for i := range 12 {
		at := time.Second + time.Duration(1700*i+(i*i*97)%700)*ms
		s.freezes = append(s.freezes, loopback.Freeze{At: at, For: time.Duration(40+5*i) * ms})
	}
	folder := newFolder(t, newStore(t), "cell")
	c := virtual(t, loopback.Config{Delay: ms, Freezes: s.freezes}, cellOf(1000, 22*time.Second), Options{Causes: s, JudgeCauses: causes.Judge, Folder: folder})
	if !slices.Equal(s.calls, []string{"prepare", "begin", "end"}) || s.length != 23*time.Second {
		t.Errorf("calls %v for %v", s.calls, s.length)
	}
	if c.Causes == nil || c.Causes.Verdict != cause.Found || c.Causes.Pauses != 12 || len(c.Causes.Marks) != 12 {
		t.Fatalf("got %+v", c.Causes)
	}
	if got := c.Causes.Causes[0]; got.Cause != cause.Stopped || got.Where != "n1" || got.Coincide != 12 || got.Expected > 2 || got.P > 0.01 {
		t.Errorf("got %+v", got)
	}
	kept, err := cause.Read(folder.Dir())
	if err != nil || len(kept.Worst) == 0 || kept.Samples != 2300 || kept.Worst[0].ResponseNS != c.Response.MaxNS {
		t.Errorf("%v: %d messages, %d samples", err, len(kept.Worst), kept.Samples)
	}
}

// Every tick of the meter of hiccups is one of the sampler, after its beginning and before its end.
func TestTheMeterOfHiccupsTicksTheSampler(t *testing.T) {
	s, m := &standstills{}, &meter{}
	virtual(t, loopback.Config{}, cellOf(100, time.Second), Options{Causes: s, Observer: m})
	if m.recorded < 1900 || s.ticks != m.recorded { // of two seconds
		t.Errorf("%d ticks of the sampler, %d of the meter", s.ticks, m.recorded)
	}
	if want := []string{"prepare", "begin", "tick", "end"}; !slices.Equal(s.calls, want) {
		t.Errorf("calls %v, want %v", s.calls, want)
	}
}

// A meter records each millisecond.
type meter struct {
	observer

	recorded int
}

func (m *meter) ObserveHiccups(record func(time.Duration)) (stop func()) {
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-over:
				return
			case <-time.After(ms):
				m.recorded++
				record(0)
			}
		}
	}()
	return func() {
		close(over)
		<-ended
	}
}

// The first sample of the nodes finds their processes: the sampler of causes needs them when it is prepared.
func TestTheNodesAreKnownWhenTheSamplerIsPrepared(t *testing.T) {
	nodes := &slowNodes{}
	s := &afterNodes{nodes: nodes}
	virtual(t, loopback.Config{}, cellOf(100, time.Second), Options{Causes: s, Nodes: nodes})
	if !s.known {
		t.Error("the nodes were not known")
	}
}

// afterNodes notes whether the nodes had been sampled when it was prepared.
type afterNodes struct {
	standstills

	nodes *slowNodes
	known bool
}

func (s *afterNodes) Prepare(length time.Duration) {
	s.known = !s.nodes.last.IsZero()
	s.standstills.Prepare(length)
}

// A cell that never begins ends the sampling.
func TestSamplingEndsWithoutABeginning(t *testing.T) {
	s := &standstills{}
	cell := cellOf(1000, time.Second)
	in, err := openIntervals(Options{Causes: s}, cell)
	if err != nil {
		t.Fatal(err)
	}
	if err := in.close(); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.calls, []string{"end"}) {
		t.Errorf("calls %v", s.calls)
	}
}
