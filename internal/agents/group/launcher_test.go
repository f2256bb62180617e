package group

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A fakeProcess ends after a while, or when it is stopped.
type fakeProcess struct {
	ended   chan struct{}
	once    sync.Once
	why     string
	stopped bool
}

func (p *fakeProcess) Ended() <-chan struct{} { return p.ended }

func (p *fakeProcess) Why() string {
	<-p.ended
	return p.why
}

func (p *fakeProcess) Stop() error {
	p.stopped = true
	p.end()
	return nil
}

func (p *fakeProcess) end() { p.once.Do(func() { close(p.ended) }) }

// A nursery starts fake processes, and notes when. The n-th lives for lives(n), 0 for ever.
type nursery struct {
	lives func(n int) time.Duration
	fails func(n int) error // of the start; nil: none does

	began     time.Time
	mu        sync.Mutex
	at        []time.Duration
	processes []*fakeProcess
	gone      []string
	said      []string
}

func (f *nursery) launcher() *launcher {
	f.began = time.Now()
	return newLauncher(10*time.Second, func(_, why string) { f.note(&f.gone, why) }, func(text string) { f.note(&f.said, text) })
}

func (f *nursery) note(list *[]string, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	*list = append(*list, text)
}

func (f *nursery) start() (agentProcess, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := len(f.at)
	f.at = append(f.at, time.Since(f.began))
	if f.fails != nil && f.fails(n) != nil {
		return nil, f.fails(n)
	}
	p := &fakeProcess{ended: make(chan struct{}), why: "its process ended: exit status 255"}
	f.processes = append(f.processes, p)
	if d := f.lives(n); d > 0 {
		time.AfterFunc(d, p.end)
	}
	return p, nil
}

func seconds(list ...float64) (instants []time.Duration) {
	for _, s := range list {
		instants = append(instants, time.Duration(s*float64(time.Second)))
	}
	return instants
}

// An ssh that fails in no time, as while sshd still holds the port of a connection that is dead,
// is tried again later and later, for as long as the run goes on. It is said once.
func TestAnAgentIsStartedAgainLaterAndLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &nursery{lives: func(int) time.Duration { return 1 }}
		l := f.launcher()
		if err := l.launch("vm1", f.start); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2*time.Minute + 5*time.Second)
		begun := time.Now()
		l.end()
		if took := time.Since(begun); took != 0 {
			t.Errorf("it ends after %v", took)
		}
		want := seconds(0, 1, 3, 7, 15, 31, 61, 91, 121)
		for i := range f.at {
			f.at[i] = f.at[i].Round(time.Second)
		}
		if !slices.Equal(f.at, want) {
			t.Errorf("started at %v, want %v", f.at, want)
		}
		if len(f.gone) != len(want) || !slices.Equal(f.said, []string{"agent vm1: its process ended: exit status 255"}) {
			t.Errorf("gone %q, said %q", f.gone, f.said)
		}
		if len(l.processes) != 1 {
			t.Errorf("%d processes are remembered", len(l.processes))
		}
	})
}

// One that was there for longer than a lease is started again after a second, and it is said.
func TestAnAgentThatWasThereIsStartedAgainSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &nursery{lives: func(n int) time.Duration { return []time.Duration{0: 1, 1: 1, 2: time.Minute, 3: 1, 4: 0}[n] }}
		l := f.launcher()
		if err := l.launch("vm1", f.start); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		l.end()
		for i := range f.at {
			f.at[i] = f.at[i].Round(time.Second)
		}
		if want := seconds(0, 1, 3, 64, 66); !slices.Equal(f.at, want) {
			t.Errorf("started at %v, want %v", f.at, want)
		}
		if len(f.said) != 2 || len(f.gone) != 4 {
			t.Errorf("said %q, gone %q", f.said, f.gone)
		}
		if !f.processes[4].stopped {
			t.Error("the last one is not stopped")
		}
	})
}

// A start that fails is tried again like one that ends at once; but for the first, which is a
// mistake of the user.
func TestAStartThatFailsIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := errors.New("starting agent vm1: no such host")
		f := &nursery{lives: func(int) time.Duration { return time.Minute }, fails: func(n int) error {
			if n == 1 || n == 2 {
				return down
			}
			return nil
		}}
		l := f.launcher()
		if err := l.launch("vm1", f.start); err != nil {
			t.Fatal(err)
		}
		time.Sleep(70 * time.Second)
		l.end()
		if want := seconds(0, 61, 63, 67); !slices.Equal(f.at, want) {
			t.Errorf("started at %v, want %v", f.at, want)
		}
		if len(f.gone) != 1 || !slices.Equal(f.said, []string{"agent vm1: its process ended: exit status 255", down.Error()}) {
			t.Errorf("gone %q, said %q", f.gone, f.said)
		}

		f = &nursery{fails: func(int) error { return down }}
		l = f.launcher()
		if err := l.launch("vm1", f.start); !errors.Is(err, down) {
			t.Errorf("%v", err)
		}
		l.end()
	})
}

// A process that comes while the others are stopped does not outlive them.
func TestAProcessThatComesTooLateIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &nursery{lives: func(n int) time.Duration { return time.Duration(1 - n) }} // the second one for ever
		slow := func() (agentProcess, error) {
			if f.count() > 0 {
				time.Sleep(5 * time.Second) // ssh takes its time
			}
			return f.start()
		}
		l := f.launcher()
		if err := l.launch("vm1", slow); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second) // the second one is being started
		l.end()
		if len(f.processes) != 2 || !f.processes[1].stopped {
			t.Errorf("%d processes; the last one is still there", len(f.processes))
		}
		if len(f.said) != 1 {
			t.Errorf("it says %q", f.said)
		}
	})
}

func (f *nursery) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.at)
}
