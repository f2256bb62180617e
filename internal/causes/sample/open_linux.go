package sample

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// A finder finds again, every few seconds and on its own goroutine, the threads and connections that are read: they
// change while a cell is measured, and nodes are started again.
type finder struct {
	nodes   Nodes
	threads []*threads // of the client, then of each node
	quotas  []*quota
	sockets *sockets
}

// findEvery is the time between two searches.
const findEvery = 3 * time.Second

// open finds the sources of this process, of the machine and of the nodes.
func (s *Sampler) open() {
	var nodes []process.Node
	if s.nodes != nil {
		nodes = s.nodes.Families(s.pauser)
	}
	everyone := append([]process.Node{{Name: cause.Client, IDs: []process.ID{{PID: os.Getpid()}}}}, nodes...)
	f := &s.finder
	f.nodes = s.nodes
	s.openThreads(everyone)
	for _, n := range everyone {
		f.quotas = append(f.quotas, s.openQuota(n))
	}
	s.openPressure()
	s.openDisks(nodes)
	s.openNetwork(nodes)
	s.openSteal()
	s.openCollections(nodes)
	s.openLogs(nodes)
}

// find finds until over is closed.
func (f *finder) find(over <-chan struct{}, pause func()) {
	for {
		select {
		case <-over:
			return
		case <-time.After(findEvery):
		}
		f.threads[0].find([]process.ID{{PID: os.Getpid()}}, pause)
		f.sockets.find()
		if f.nodes == nil {
			continue
		}
		for i, n := range f.nodes.Families(pause) {
			if i+1 < len(f.threads) {
				f.threads[i+1].find(n.IDs, pause)
				f.quotas[i+1].find(n)
			}
		}
	}
}

// folder returns the folder of a process in /proc.
func folder(pid int) string { return filepath.Join("/proc", strconv.Itoa(pid)) }

// find returns where a word begins in a text; -1 if it is not there.
func find(text []byte, word string) int { return bytes.Index(text, []byte(word)) }
