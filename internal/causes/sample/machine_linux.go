package sample

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/machine/cgroup"
)

// pressure reads a file of pressure stall information (PSI).
type pressure struct {
	file
	pace
	series int
	some   counter
}

// openPressure makes the sources of the machine.
func (s *Sampler) openPressure() {
	for what, name := range pressures {
		if err := s.pressureOf(what, cause.Machine, filepath.Join("/proc/pressure", name)); err != nil {
			s.lacks(what, cause.Machine, reason(err))
		}
	}
}

var pressures = map[string]string{cause.CPU: "cpu", cause.IO: "io", cause.Memory: "memory"}

// pressureOf adds a source. A kernel without PSI refuses the first read.
func (s *Sampler) pressureOf(what, where, path string) error {
	f, err := openFile(path)
	if err == nil {
		_, err = unix.Pread(f.fd, s.buffer[:], 0)
	}
	if err != nil {
		f.close()
		return fmt.Errorf("%s: %w", path, err)
	}
	s.sources = append(s.sources, &pressure{file: f, series: s.add(what, where, cause.Time, "us")})
	return nil
}

// reason explains why pressure cannot be read.
func reason(err error) string {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return err.Error() + " (read it as root)"
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.EOPNOTSUPP):
		return err.Error() + " (the kernel has no PSI: start it with psi=1)"
	}
	return err.Error()
}

func (p *pressure) read(s *Sampler, n int, _ time.Duration) {
	if !p.due(n) {
		return
	}
	if total, ok := after(p.file.read(s.buffer[:]), "total="); ok { // the first line is "some"
		p.put(s, p.series, p.some.grown(total))
	}
}

// quota reads how long CPU quotas stopped the processes of a node or of the client.
type quota struct {
	pace
	paths  []string // used by find
	next   atomic.Pointer[[]string]
	files  []file
	name   string
	unit   int64 // of the counter, in nanoseconds
	series int
	total  counter
}

// openQuota makes the source of a node or of the client.
func (s *Sampler) openQuota(n process.Node) *quota {
	q := &quota{series: s.add(cause.Throttled, n.Name, cause.Time, "us")}
	q.find(n)
	s.sources = append(s.sources, q)
	return q
}

// find finds the groups of a node: another program may move it to others.
func (q *quota) find(n process.Node) {
	var paths []string
	if len(n.IDs) > 0 {
		paths = cgroup.Of("/", n.IDs[0].PID, "cpu").Paths("cpu.stat")
	}
	if !slices.Equal(paths, q.paths) {
		q.paths = paths
		q.next.Store(&paths)
	}
}

// adopt opens the files that were found.
func (q *quota) adopt() {
	paths := q.next.Swap(nil)
	if paths == nil {
		return
	}
	q.close()
	q.files, q.total = nil, counter{}
	for _, path := range *paths {
		f, err := openFile(path)
		if err != nil {
			continue
		}
		var b [512]byte
		text := f.read(b[:])
		switch {
		case hasName(text, "throttled_usec "):
			q.name, q.unit = "throttled_usec ", 1000
		case hasName(text, "throttled_time "):
			q.name, q.unit = "throttled_time ", 1
		default:
			f.close()
			continue
		}
		q.files = append(q.files, f)
	}
}

func hasName(text []byte, name string) bool { _, ok := after(text, name); return ok }

func (q *quota) read(s *Sampler, n int, _ time.Duration) {
	if q.adopt(); !q.due(n) {
		return
	}
	sum := int64(0)
	for _, f := range q.files {
		n, _ := after(f.read(s.buffer[:]), q.name)
		sum += n
	}
	q.put(s, q.series, q.total.grown(sum*q.unit)/1000)
}

func (q *quota) close() {
	for i := range q.files {
		q.files[i].close()
	}
}

// blocks reads how long the requests to a disk took.
type blocks struct {
	file
	pace
	series int
	took   counter // milliseconds
}

// mostDisks bounds the disks of the machine that are read.
const mostDisks = 4

// openDisks makes a source for the disk below the data of each node that has its own, and one for each of the other
// disks of the machine that were used most since it started: those of nodes come first.
func (s *Sampler) openDisks(nodes []process.Node) {
	users := make(map[string][]string) // the nodes, by the path of a disk
	used := make(map[string]int64)
	for _, n := range nodes {
		if disk := deviceOf(n.Data); disk != "" {
			users[disk], used[disk] = append(users[disk], n.Name), math.MaxInt64
		}
	}
	paths, _ := filepath.Glob("/sys/block/*/stat")
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if requests := field(text, 0) + field(text, 4); err == nil && requests > 0 && !strings.Contains(path, "zram") && used[path] == 0 {
			used[path] = requests
		}
	}
	n := 0
	for _, path := range busiest(used) {
		where := cause.Machine
		if len(users[path]) == 1 && len(nodes) > 1 {
			where = users[path][0]
		}
		if n++; where == cause.Machine && n > mostDisks {
			continue
		}
		if f, err := openFile(path); err == nil {
			s.sources = append(s.sources, &blocks{file: f, series: s.series(cause.Disk, where, cause.Time, "us")})
		}
	}
}

// busiest returns disks in the order of their use, the most used first.
func busiest(used map[string]int64) []string {
	return slices.SortedFunc(maps.Keys(used), func(a, b string) int { return cmp.Or(cmp.Compare(used[b], used[a]), cmp.Compare(a, b)) })
}

// deviceOf returns the statistics of the disk below a folder; "" if it has none.
func deviceOf(folder string) string {
	var st unix.Stat_t
	if folder == "" || unix.Stat(folder, &st) != nil {
		return ""
	}
	link := fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(st.Dev), unix.Minor(st.Dev))
	path, err := filepath.EvalSymlinks(link)
	if err != nil {
		return ""
	}
	return filepath.Join("/sys/block", filepath.Base(wholeDisk(path)), "stat")
}

// wholeDisk returns the folder of the disk that a folder of a block device is or is a partition of.
func wholeDisk(device string) string {
	if _, err := os.Stat(filepath.Join(device, "partition")); err == nil {
		return filepath.Dir(device)
	}
	return device
}

// read implements source. A request counts when it is complete, with all of its time.
func (d *blocks) read(s *Sampler, n int, _ time.Duration) {
	if !d.due(n) {
		return
	}
	text := d.file.read(s.buffer[:])
	took := field(text, 3) + field(text, 7) + field(text, 16) // reads, writes and flushes
	d.put(s, d.series, 1000*d.took.grown(took))
}

// steal reads the time in which the hypervisor ran others.
type steal struct {
	file
	series int
	ticks  counter
}

func (s *Sampler) openSteal() {
	f, err := openFile("/proc/stat")
	if err != nil {
		s.lacks(cause.Steal, cause.Machine, err.Error())
		return
	}
	s.sources = append(s.sources, &steal{file: f, series: s.add(cause.Steal, cause.Machine, cause.Time, "us")})
}

func (t *steal) read(s *Sampler, n int, _ time.Duration) {
	if n == 0 || n%coarse == 1 {
		text := t.file.read(s.buffer[:])
		s.store.back(t.series, t.ticks.grown(field(text, 8))*tick.Microseconds(), coarse)
	}
}

// series returns the number of a series, which is new if there is none of that cause in that place.
func (s *Sampler) series(what, where, kind, unit string) int {
	i := slices.IndexFunc(s.store.series, func(one *series) bool { return one.cause == what && one.where == where })
	if i >= 0 {
		return i
	}
	return s.add(what, where, kind, unit)
}
