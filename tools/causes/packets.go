//go:build linux

package main

import (
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Kernels without netem lose packets with a rule of iptables, and delay them in the queue of a class whose rate
// is too low. It is the same to TCP.

// losePackets drops 30 % of the packets that arrive from and at the broker's ports.
func losePackets(s *scene) (h harm, err error) {
	ports, err := s.ports()
	rule := fmt.Sprintf(" INPUT -w -i lo -p tcp -m multiport --ports %s -m statistic --mode random --probability 0.3 -j DROP", strings.Join(ports, ","))
	h = harm{command("iptables -I" + rule), command("iptables -D" + rule), nothing}
	if err == nil {
		err = errors.Join(h.begin(), h.end()) // the first time is slow, and tells whether the kernel can
	}
	return h, err
}

// delayPackets lets the packets from and to the broker's ports wait in a queue that sends 250 kB/s.
func delayPackets(s *scene) (h harm, err error) {
	const class = "tc class %s dev lo parent 1: classid 1:%d htb rate %s"
	set := func(do string, id int, rate string) func() error { return command(fmt.Sprintf(class, do, id, rate)) }
	ports, err := s.ports()
	h = harm{set("change", 2, "2mbit"), set("change", 2, "100gbit"), command("tc qdisc del dev lo root")}
	steps := []func() error{command("tc qdisc add dev lo root handle 1: htb default 1"), set("add", 1, "100gbit"), set("add", 2, "100gbit")}
	for _, port := range ports {
		for _, side := range []string{"sport", "dport"} {
			steps = append(steps, command(fmt.Sprintf("tc filter add dev lo parent 1: protocol ip u32 match ip %s %s 0xffff flowid 1:2", side, port)))
		}
	}
	for _, step := range steps {
		if err == nil {
			err = step()
		}
	}
	if err != nil {
		_ = h.close() // as far as it began
	}
	return h, err
}

// ports returns those at which the broker listens.
func (s *scene) ports() (ports []string, err error) {
	out, err := exec.Command("ss", "-Htlnp").Output() //nolint:noctx // it is short
	for line := range strings.Lines(string(out)) {
		local := strings.Fields(line)[3]
		for _, m := range regexp.MustCompile(`pid=(\d+)`).FindAllStringSubmatch(line, -1) {
			pid, _ := strconv.Atoi(m[1]) // it is digits
			port := local[strings.LastIndexByte(local, ':')+1:]
			if slices.Contains(s.node, pid) && !slices.Contains(ports, port) {
				ports = append(ports, port)
			}
		}
	}
	if err == nil && len(ports) == 0 {
		err = errors.New("the broker listens at no port")
	}
	return ports, err
}
