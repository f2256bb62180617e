package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/cluster/coordinator"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/system/local"
)

// agentsFlags say on which machines a run measures.
type agentsFlags struct {
	spec    string
	n       int
	context string // of kubectl
	control string
	onLoss  string
	maxSkew time.Duration
	lease   time.Duration
	wait    time.Duration

	where *placement // what all of this says, checked; nil: this process measures
}

func (a *agentsFlags) define(f *pflag.FlagSet) {
	f.StringVar(&a.spec, "agents", "", "measure on these `AGENTS` in place of this process: local:3, ssh://h1,ssh://h2, wait:3, or k8s")
	f.IntVar(&a.n, "n", 0, "how many agents, with --agents k8s")
	f.StringVar(&a.context, "context", "", "kubectl's context, with --agents k8s")
	f.StringVar(&a.control, "control", "", "the `URL` by which agents reach this process: nats://… or tls://… is a NATS with JetStream, listen://HOST:PORT a server of brokerbench's own there (default: one on this machine)")
	defineChoice(f, &a.onLoss, "on-loss", "", "when an agent is lost in a cell: ", []string{"retry", "keep"})
	f.DurationVar(&a.maxSkew, "max-skew", coordinator.DefaultMaxSkew, "refuse agents whose clock is not known as well as this")
	f.DurationVar(&a.lease, "lease", coordinator.DefaultLease, "for how long an agent may not be heard of: at least twice the outage to be survived")
	f.DurationVar(&a.wait, "agents-wait", coordinator.DefaultWait, "how long to wait for agents that are not there")
}

// A placement is what --agents says.
type placement struct {
	kind  string   // local, ssh, wait or k8s
	hosts []string // of ssh
	n     int
}

// parse reads --agents, and checks what goes with it.
func (a *agentsFlags) parse() (p placement, err error) {
	kind, rest, _ := strings.Cut(a.spec, ":")
	switch kind {
	case "local", "wait":
		p.kind = kind
		if p.n, err = strconv.Atoi(rest); err != nil || p.n < 1 || p.n > mostAgents {
			return p, fmt.Errorf("--agents %s: want %s:N with N from 1 to %d", a.spec, kind, mostAgents)
		}
	case "ssh":
		p.kind = kind
		if p.hosts, err = sshHosts(a.spec); err != nil {
			return p, err
		}
		p.n = len(p.hosts)
	case "k8s":
		p.kind = kind
		if p.n = a.n; p.n < 1 || p.n > mostAgents {
			return p, fmt.Errorf("--agents k8s needs --n, from 1 to %d", mostAgents)
		}
	default:
		return p, fmt.Errorf("--agents %s: want local:3, ssh://h1,ssh://h2, wait:3 or k8s", a.spec)
	}
	switch {
	case kind != "k8s" && (a.n != 0 || a.context != ""):
		return p, errors.New("--n and --context go with --agents k8s")
	case a.maxSkew <= 0 || a.lease < time.Second || a.wait < time.Second:
		return p, errors.New("--max-skew is above 0, --lease and --agents-wait are 1s or more")
	}
	return p, nil
}

const mostAgents = 1000

// sshHosts returns what follows ssh:// in a list.
func sshHosts(spec string) (hosts []string, err error) {
	for one := range strings.SplitSeq(spec, ",") {
		host, ok := strings.CutPrefix(one, "ssh://")
		switch {
		case !ok || host == "":
			return nil, fmt.Errorf("--agents %s: want ssh://HOST,ssh://HOST", spec)
		case strings.HasPrefix(host, "-") || strings.ContainsAny(host, " \t\n"):
			return nil, fmt.Errorf("--agents %s: %q is no host", spec, host)
		case slices.Contains(hosts, host):
			return nil, fmt.Errorf("--agents %s: %s is there twice: two agents on one machine disturb each other", spec, host)
		}
		hosts = append(hosts, host)
	}
	return hosts, nil
}

// names returns the names of the agents, which are parts of subjects: without dots.
func (p placement) names() (names []string) {
	for i := range p.n {
		if p.kind == "ssh" {
			names = append(names, strings.ReplaceAll(plan.FileName(p.hosts[i]), ".", "_"))
			continue
		}
		names = append(names, fmt.Sprintf("a%d", i+1))
	}
	return names
}

// check refuses, before anything is started, a plan that so many agents cannot share.
func (p placement) check(cells []plan.Cell) error {
	var errs []error
	for _, cell := range cells {
		if _, err := cell.Part(schedule.Share{Index: p.n - 1, Of: p.n}); err != nil && cell.Repeat < 2 {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// checkNear refuses what only agents on this machine can measure: what brokerbench starts, and
// the relays that break the network, are on its loopback.
func (p placement) checkNear(of plan.Plan) error {
	var errs []error
	if p.kind == "local" {
		return nil
	}
	for _, f := range of.Settings.Faults {
		if f.Network() {
			errs = append(errs, fmt.Errorf("fault %v: the relay that breaks the network is on this machine, where agents elsewhere do not go: want --agents local:N", f))
		}
	}
	for _, t := range of.Targets {
		if p.kind != "wait" && local.Is(t.URL) {
			errs = append(errs, fmt.Errorf("target %s is started on this machine, where agents elsewhere do not reach it: want --agents local:N", t.Name))
		}
	}
	return errors.Join(errs...)
}

// place finds out where the agents of some plans are to be, and whether they can be there.
// Without --agents this process measures.
func (a *agentsFlags) place(known targets, plans ...plan.Plan) error {
	if a.spec == "" {
		if a.control != "" || a.n != 0 || a.context != "" {
			return usage(errors.New("--control, --n and --context go with --agents"))
		}
		return nil
	}
	where, err := a.parse()
	for _, p := range plans {
		if err == nil {
			err = errors.Join(where.check(p.Cells()), where.checkNear(p), a.checkTargets(known, p.Targets, where))
		}
	}
	if err == nil {
		a.where = &where
	}
	return usage(err)
}
