//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// The ways to harm messages.
const (
	nodeQuota   = "CPU quota on the broker"
	clientQuota = "CPU quota on the client"
	nodeIO      = "limit on the broker's writes"
	nodeStop    = "SIGSTOP of the broker"
	clientStop  = "SIGSTOP of the client"
	delay       = "packets delayed"
	loss        = "30 % of packets lost"
	neighbour   = "busy neighbour"
	gcJVM       = "forced collections, Kafka"
	gcErlang    = "forced collections, RabbitMQ"
	fsyncs      = "fsync storm"
)

// A kind is a way to harm messages.
type kind struct {
	least, most time.Duration // of a burst
	prepare     func(*scene) (harm, error)
	// right are the causes that name it. beside are what follows from it: they are true of the same pauses, and
	// are neither right nor wrong.
	right, beside []cause
}

// A harm begins and ends with each burst.
type harm struct{ begin, end, close func() error }

// A cause is a cause that brokerbench names, and where. All nodes are the place node.
type cause struct{ what, where string }

const (
	client, node, machine = "client", "node", "machine"
	ms                    = time.Millisecond
)

// of returns causes at several places.
func of(what string, where ...string) (list []cause) {
	for _, w := range where {
		list = append(list, cause{what, w})
	}
	return list
}

func both(lists ...[]cause) (all []cause) {
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

// kinds returns the table of them.
func kinds() map[string]kind {
	queue := of("socket-queue", client, node, machine)
	cpu := both(of("runqueue", client, node), of("cpu-pressure", client, node, machine))
	io := both(of("disk", node, machine), of("io-pressure", node, machine))
	net := both(of("rtt", client, node, machine), of("retransmits", client, node, machine))
	collecting := both(cpu, queue, of("log", node))
	return map[string]kind{
		nodeQuota:   {200 * ms, 400 * ms, quota(node), of("throttled", node), both(queue, of("runqueue", node), of("cpu-pressure", node, machine))},
		clientQuota: {200 * ms, 400 * ms, quota(client), of("throttled", client), both(queue, of("runqueue", client), of("cpu-pressure", client, machine))},
		nodeIO:      {250 * ms, 400 * ms, limitWrites, io, queue},
		nodeStop:    {80 * ms, 250 * ms, stop(node), of("stopped", node), queue},
		clientStop:  {80 * ms, 250 * ms, stop(client), of("stopped", client), queue},
		delay:       {150 * ms, 300 * ms, delayPackets, net, queue},
		loss:        {150 * ms, 300 * ms, losePackets, of("retransmits", client, node, machine), both(queue, of("rtt", client, node, machine))},
		neighbour:   {200 * ms, 400 * ms, spin, cpu, queue},
		gcJVM:       {1 * ms, 2 * ms, collectJVM, of("gc-jvm", node), collecting},
		gcErlang:    {200 * ms, 400 * ms, collectErlang, of("gc-erlang", node), collecting},
		fsyncs:      {250 * ms, 400 * ms, syncMuch, io, queue},
	}
}

func nothing() error { return nil }

// quota leaves a group 2 % of a processor.
func quota(where string) func(*scene) (harm, error) {
	return func(s *scene) (harm, error) {
		g := s.group[where]
		end := func() error { return g.limitCPU(0) }
		return harm{func() error { return g.limitCPU(2 * ms) }, end, end}, nil
	}
}

// stop stops all processes of a place.
func stop(where string) func(*scene) (harm, error) {
	return func(s *scene) (harm, error) {
		pids := s.node
		if where == client {
			pids = []int{s.client}
		}
		end := func() error { return toAll(pids, syscall.SIGCONT) }
		return harm{func() error { return toAll(pids, syscall.SIGSTOP) }, end, end}, nil
	}
}

func toAll(pids []int, sig syscall.Signal) (err error) {
	for _, pid := range pids {
		if e := syscall.Kill(pid, sig); e != syscall.ESRCH {
			err = errors.Join(err, e)
		}
	}
	return err
}

// limitWrites lets the broker write 4 KiB/s to its disk.
func limitWrites(s *scene) (harm, error) {
	device, _, err := s.disk()
	if err != nil {
		return harm{}, err
	}
	g := s.group[node]
	end := func() error { return g.limitWrites(device, 0) }
	return harm{func() error { return g.limitWrites(device, 4096) }, end, end}, nil
}

// disk returns the device to which the broker writes, and a folder on it.
func (s *scene) disk() (device, folder string, err error) {
	for _, pid := range s.node {
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid)) // the pattern is good
		for _, file := range files {
			var st syscall.Stat_t
			to, err := os.Readlink(file)
			if err != nil || syscall.Stat(file, &st) != nil || st.Mode&syscall.S_IFMT != syscall.S_IFREG || strings.HasPrefix(to, "/dev/") {
				continue
			}
			flags, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%s", pid, filepath.Base(file)))
			if err != nil || !writable(flags) {
				continue
			}
			return fmt.Sprintf("%d:%d", st.Dev>>8&0xfff, st.Dev&0xff|st.Dev>>12&0xfff00), filepath.Dir(to), nil
		}
	}
	return "", "", errors.New("the broker writes to no file")
}

// writable reads the flags of /proc/PID/fdinfo.
func writable(info []byte) bool {
	var pos int64
	var flags int
	_, err := fmt.Sscanf(string(info), "pos: %d\nflags: %o", &pos, &flags)
	return err == nil && flags&syscall.O_ACCMODE != syscall.O_RDONLY
}

// spin runs three processes for each processor that only count.
func spin(*scene) (h harm, err error) {
	var pids []int
	var all []*os.Process
	h.begin = func() error { return toAll(pids, syscall.SIGCONT) }
	h.end = func() error { return toAll(pids, syscall.SIGSTOP) }
	h.close = func() error {
		err := toAll(pids, syscall.SIGKILL)
		for _, p := range all {
			_, e := p.Wait()
			err = errors.Join(err, e)
		}
		return err
	}
	for range 3 * runtime.NumCPU() {
		p, err := os.StartProcess("/bin/sh", []string{"sh", "-c", "kill -STOP $$; while :; do :; done"}, &os.ProcAttr{Sys: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}})
		if err != nil {
			return h, errors.Join(err, h.close())
		}
		pids, all = append(pids, p.Pid), append(all, p)
	}
	return h, nil
}

// syncMuch writes 2 MiB and syncs, again and again, in two files on the broker's disk.
func syncMuch(s *scene) (h harm, err error) {
	_, folder, err := s.disk()
	if err != nil {
		return h, err
	}
	dir, err := os.MkdirTemp(folder, "causes-")
	if err != nil {
		return h, err
	}
	var stop chan struct{}
	ended := make(chan error)
	h.begin = func() error {
		stop = make(chan struct{})
		for i := range 2 {
			go func() { ended <- writeUntil(stop, filepath.Join(dir, fmt.Sprint(i))) }()
		}
		return nil
	}
	h.end = func() error {
		close(stop)
		return errors.Join(<-ended, <-ended)
	}
	h.close = func() error { return os.RemoveAll(dir) }
	return h, nil
}

func writeUntil(stop chan struct{}, name string) error {
	block := make([]byte, 2<<20)
	for {
		select {
		case <-stop:
			return nil
		default:
		}
		f, err := os.Create(name)
		if err != nil {
			return err
		}
		_, err = f.Write(block)
		if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
			return err
		}
	}
}

// command returns a function that runs a command, which is to be short.
func command(line string) func() error {
	return func() error {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_, err := process.Output(ctx, "", strings.Fields(line)...)
		return err
	}
}
