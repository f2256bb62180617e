package sample

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// openCollections makes the sources of the collections of this process and of JVMs.
func (s *Sampler) openCollections(nodes []process.Node) {
	s.sources = append(s.sources, newCollections(s.add(cause.GCClient, cause.Client, cause.Count, "collections")))
	for _, n := range nodes {
		for _, id := range n.IDs {
			switch command(id.PID) {
			case "java":
				s.openJVM(n.Name, id.PID)
			case "beam.smp":
				s.lacks(cause.GCErlang, n.Name, "Erlang shows its collections only to its own shell")
			}
		}
	}
}

// command returns the name of the program of a process.
func command(pid int) string {
	text, _ := os.ReadFile(filepath.Join(folder(pid), "comm"))
	return strings.TrimSpace(string(text))
}

func (s *Sampler) openJVM(where string, pid int) {
	j, err := openJVM(pid)
	if err != nil {
		s.lacks(cause.GCJVM, where, err.Error())
		return
	}
	j.series = s.series(cause.GCJVM, where, cause.Time, "us")
	s.sources = append(s.sources, j)
}

// A jvm reads the counters that HotSpot keeps in a file that is mapped into memory: hsperfdata.
type jvm struct {
	file
	at     []int64 // where the file has the ticks of each collector's pauses
	perS   int64   // ticks in a second
	series int
	took   counter // ticks
}

// openJVM opens the counters of a process.
func openJVM(pid int) (*jvm, error) {
	root := folder(pid)
	inside := strconv.Itoa(pid) // the number that the process itself sees
	if text, err := os.ReadFile(filepath.Join(root, "status")); err == nil {
		for line := range strings.Lines(string(text)) {
			if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "NSpid:" {
				inside = fields[len(fields)-1]
			}
		}
	}
	if _, err := os.Stat(filepath.Join(root, "root/tmp")); errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("%w (run as its user or as root)", err)
	}
	found, _ := filepath.Glob(filepath.Join(root, "root/tmp/hsperfdata_*", inside))
	if len(found) == 0 {
		return nil, errNoCounters
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		return nil, err
	}
	j := new(jvm)
	counters(text, func(name string, at, value int64) {
		switch {
		case name == "sun.os.hrt.frequency":
			j.perS = value
		case strings.HasPrefix(name, "sun.gc.collector.") && strings.HasSuffix(name, ".time"):
			j.at = append(j.at, at)
		}
	})
	if j.perS == 0 || len(j.at) == 0 {
		return nil, errNoCounters
	}
	j.file, err = openFile(found[0])
	return j, err
}

// read implements source. A collection counts when it has ended.
func (j *jvm) read(s *Sampler, _ int, _ time.Duration) {
	sum := int64(0)
	for _, at := range j.at {
		if b := j.readAt(s.buffer[:8], at); len(b) == 8 {
			sum += int64(binary.NativeEndian.Uint64(b))
		}
	}
	s.out[j.series] += j.took.grown(sum) * 1_000_000 / j.perS
}
