package sample

import (
	"bytes"
	"time"

	"golang.org/x/sys/unix"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// lines counts the lines that a node writes into its log.
type lines struct {
	file
	series int
	at     int64 // read so far
}

func (s *Sampler) openLogs(nodes []process.Node) {
	for _, n := range nodes {
		if n.Log == "" {
			continue
		}
		f, err := openFile(n.Log)
		if err != nil {
			s.lacks(cause.Log, n.Name, err.Error())
			continue
		}
		l := &lines{file: f, series: s.add(cause.Log, n.Name, cause.Count, "lines")}
		l.at = l.size()
		s.sources = append(s.sources, l)
	}
}

func (l *lines) size() int64 {
	var st unix.Stat_t
	if l.fd < 0 || unix.Fstat(l.fd, &st) != nil {
		return 0
	}
	return st.Size
}

// read implements source. Of many lines in one sample it counts those that fit into the buffer.
func (l *lines) read(s *Sampler, _ int, _ time.Duration) {
	size := l.size()
	switch {
	case size < l.at: // it was cut
		l.at = size
	case size > l.at:
		s.out[l.series] = int64(bytes.Count(l.readAt(s.buffer[:min(size-l.at, int64(len(s.buffer)))], l.at), []byte{'\n'}))
		l.at = size
	}
}
