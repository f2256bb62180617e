package sample

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// Only threads that run or wait matter: of each node and of the client the busiest are read,
// mostThreads in all. The finder finds out which they are.
const (
	mostThreads  = 16
	leastThreads = 2 // of each node
)

// threads are the busiest of a node or of this process.
type threads struct {
	client bool
	most   int
	used   map[int]int64 // by thread, when they were found last: how long it ran and waited, in nanoseconds
	busy   []thread
	next   atomic.Pointer[[]found]

	runqueue, stopped, disk, faults int // series; disk is -1 for the client

	unread time.Duration // since they were read
	major  counter       // page faults of the client
}

// A found thread is one to be read.
type found struct{ pid, tid int }

// A thread has the open files of a thread.
type thread struct {
	found
	sched, stat                 file
	ran, waited, major, blocked counter
	state                       byte
	woke                        bool // it ran since stat was read
}

// openThreads makes the sources of the client, which is the first, and of the nodes.
func (s *Sampler) openThreads(nodes []process.Node) {
	each := max(leastThreads, mostThreads/len(nodes))
	for i, n := range nodes {
		t := &threads{client: i == 0, most: each, disk: -1}
		t.runqueue = s.add(cause.RunQueue, n.Name, cause.Time, "us")
		t.stopped = s.add(cause.Stopped, n.Name, cause.Time, "us")
		t.faults = s.add(cause.PageFaults, n.Name, cause.Count, "faults")
		if !t.client {
			t.disk = s.add(cause.Disk, n.Name, cause.Time, "us")
		}
		t.find(n.IDs, s.pauser)
		s.sources, s.finder.threads = append(s.sources, t), append(s.finder.threads, t)
	}
}

// find finds the busiest threads since the last call, after the main thread, which tells whether a process stands
// still. It reads one file for each thread.
func (t *threads) find(ids []process.ID, pause func()) {
	type candidate struct {
		found
		grew int64
	}
	var all []candidate
	used := make(map[int]int64)
	for i, id := range ids {
		tasks := filepath.Join(folder(id.PID), "task")
		entries, _ := os.ReadDir(tasks)
		for k, e := range entries {
			tid, _ := strconv.Atoi(e.Name())
			text, err := os.ReadFile(filepath.Join(tasks, e.Name(), "schedstat"))
			if err != nil {
				continue
			}
			used[tid] = field(text, 0) + field(text, 1)
			one := candidate{found{id.PID, tid}, used[tid] - t.used[tid]}
			if i == 0 && tid == id.PID {
				one.grew = 1 << 62
			}
			if all = append(all, one); k%5 == 4 {
				pause()
			}
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.grew, a.grew) })
	list := make([]found, 0, t.most)
	for _, c := range all[:min(len(all), t.most)] {
		if c.grew > 0 || !asleep(c.found) {
			list = append(list, c.found)
		}
	}
	t.used = used
	t.next.Store(&list)
}

// asleep reports whether a thread waits for something to do. One that waits for a disk, or stands still, does not.
func asleep(f found) bool {
	t, ok := openThread(f)
	if !ok {
		return true
	}
	defer closeThreads([]thread{t})
	var b [512]byte
	t.readStat(b[:])
	return t.state == 'S' || t.state == 'I'
}

// adopt opens the files of the threads that were found, and closes those of others.
func (t *threads) adopt() {
	list := t.next.Swap(nil)
	if list == nil {
		return
	}
	before := t.busy
	t.busy = make([]thread, 0, len(*list))
	for _, f := range *list {
		if i := slices.IndexFunc(before, func(b thread) bool { return b.found == f }); i >= 0 {
			t.busy, before = append(t.busy, before[i]), slices.Delete(before, i, i+1)
		} else if opened, ok := openThread(f); ok {
			t.busy = append(t.busy, opened)
		}
	}
	closeThreads(before)
}

func openThread(f found) (t thread, ok bool) {
	t.found = f
	dir := filepath.Join(folder(f.pid), "task", strconv.Itoa(f.tid))
	var err error
	if t.sched, err = openFile(filepath.Join(dir, "schedstat")); err != nil {
		return t, false
	}
	if t.stat, err = openFile(filepath.Join(dir, "stat")); err != nil {
		t.sched.close()
		return t, false
	}
	return t, true
}

// read implements source. Those of nodes are read in every second sample, all in the same one: the first file of a kind takes
// several times as long as the next ones.
func (t *threads) read(s *Sampler, n int, elapsed time.Duration) {
	t.adopt()
	t.unread += elapsed
	switch {
	case t.client:
		t.readClient(s, n)
	case n%pair != 0:
		return
	default:
		_, waited := t.readWaits(s.buffer[:])
		s.store.back(t.runqueue, waited.Microseconds(), pair)
		t.readStates(s)
	}
	t.unread = 0
}

// readWaits returns how long the threads ran, and how long one of them waited for a core.
func (t *threads) readWaits(buffer []byte) (ran, waited time.Duration) {
	for i := range t.busy {
		b := &t.busy[i]
		text := b.sched.read(buffer)
		grew := b.ran.grown(field(text, 0))
		b.woke = b.woke || grew > 0
		ran += time.Duration(grew)
		waited = max(waited, time.Duration(b.waited.grown(field(text, 1))))
	}
	return ran, waited
}

// readClient reads what the threads of this process do. Their state is that of the one that reads.
func (t *threads) readClient(s *Sampler, n int) {
	ran, waited := t.readWaits(s.buffer[:])
	s.out[t.runqueue] = waited.Microseconds()
	if t.unread > standing && ran < t.unread/10 && waited < t.unread/2 {
		s.out[t.stopped] = (t.unread - Every).Microseconds()
	}
	var used unix.Rusage
	if n%coarse == 0 && unix.Getrusage(unix.RUSAGE_SELF, &used) == nil {
		s.store.back(t.faults, t.major.grown(used.Majflt), coarse)
	}
}

// readStates reads what the threads of a node do.
func (t *threads) readStates(s *Sampler) {
	var blocked, faults int64
	var waits, stands bool // waits where no signal wakes it: for a disk
	for i := range t.busy {
		b := &t.busy[i]
		b.readStat(s.buffer[:])
		faults += b.major.delta
		blocked = max(blocked, b.blocked.delta*tick.Microseconds())
		waits = waits || b.state == 'D'
		stands = stands || i == 0 && b.state == 'T'
	}
	unread := t.unread.Microseconds()
	s.store.back(t.faults, faults, pair)
	if stands {
		s.store.back(t.stopped, unread, pair)
	}
	if waits {
		blocked = max(blocked, unread)
	}
	s.store.back(t.disk, blocked, pair)
}

// A sample of this process that is longer than standing is one in which it stood still, unless it ran or waited for
// a core.
const standing = 3 * Every

// tick is the unit of times in /proc/PID/stat.
const tick = 10 * time.Millisecond

// readStat reads the state of a thread, its page faults, and its waits for disks, which the kernel counts if
// kernel.task_delayacct is 1. A thread that slept and did not run since still sleeps: its file, which is the longest, is not read.
func (b *thread) readStat(buffer []byte) {
	b.major.delta, b.blocked.delta = 0, 0
	if b.state == 'S' && !b.woke {
		return
	}
	text := b.stat.read(buffer)
	i := bytes.LastIndexByte(text, ')')
	if b.state, b.woke = 0, false; i < 0 || len(text) < i+3 {
		return
	}
	text = text[i+2:] // from field 3 of proc_pid_stat(5) on
	b.state = text[0]
	b.major.grown(field(text, 12-3))
	b.blocked.grown(field(text, 42-3))
}

func closeThreads(list []thread) {
	for i := range list {
		list[i].sched.close()
		list[i].stat.close()
	}
}

func (t *threads) close() { closeThreads(t.busy) }
