package group

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

// Options place the agents of a run, and set the tolerances for losing contact. They are part of
// the run's state, from which [Resume] places the agents again.
type Options struct {
	Agents  string        `json:"agents"`  // local:N, wait:N, k8s:N, or ssh://HOST,ssh://HOST
	Context string        `json:"context"` // of kubectl
	Binary  string        `json:"binary"`  // the program that is copied to SSH hosts; "": this one
	Control string        `json:"control"` // the URL of the control server; "": one on this machine
	OnLoss  string        `json:"on_loss"` // retry or keep a cell of which an agent was lost
	MaxSkew time.Duration `json:"max_skew_ns"`
	Lease   time.Duration `json:"lease_ns"`
	Wait    time.Duration `json:"wait_ns"`
}

// A Kind is how agents are started.
type Kind string

// The kinds.
const (
	Local      Kind = "local" // processes of this machine
	SSH        Kind = "ssh"
	Wait       Kind = "wait" // by the user
	Kubernetes Kind = "k8s"
)

// A Placement is what Options.Agents says.
type Placement struct {
	Kind  Kind
	Hosts []string // of SSH
	N     int      // how many agents
}

const mostAgents = 1000

// Parse checks the options and returns the placement. Its errors are the user's mistakes.
func (o Options) Parse() (p Placement, err error) {
	kind, rest, _ := strings.Cut(o.Agents, ":")
	p.Kind = Kind(kind)
	switch p.Kind {
	case Local, Wait, Kubernetes:
		if p.N, err = strconv.Atoi(rest); err != nil || p.N < 1 || p.N > mostAgents {
			return p, fmt.Errorf("--agents %s: want %s:N with N from 1 to %d", o.Agents, kind, mostAgents)
		}
	case SSH:
		if p.Hosts, err = sshHosts(o.Agents); err != nil {
			return p, err
		}
		p.N = len(p.Hosts)
	default:
		return p, fmt.Errorf("--agents %s: want local:3, ssh://h1,ssh://h2, wait:3 or k8s:3", o.Agents)
	}
	return p, o.check(p)
}

// check checks what goes with a placement.
func (o Options) check(p Placement) error {
	switch {
	case p.Kind != Kubernetes && o.Context != "":
		return errors.New("--context goes with --agents k8s:N")
	case p.Kind == Kubernetes && o.Control == "":
		return errors.New("--agents k8s:N needs --control: pods do not reach this machine's 127.0.0.1 (a NATS that both reach, or listen://HOST:PORT)")
	case o.MaxSkew < 0 || o.Lease < time.Second || o.Wait < time.Second:
		return errors.New("--max-skew is not negative, --lease and --agents-wait are 1s or more")
	}
	_, err := o.server()
	return err
}

// server is where the control server is.
type server struct {
	own  bool // this program runs it, and listens at host and port
	host string
	port int    // 0: any free one
	url  string // of the user's own server
}

// server reads the URL of the control server. Its errors do not quote a password.
func (o Options) server() (s server, err error) {
	if o.Control == "" {
		return server{own: true, host: "127.0.0.1"}, nil
	}
	u, err := url.Parse(o.Control)
	if err != nil || u.Host == "" {
		return s, errors.New("--control: want nats://HOST:PORT, tls://HOST:PORT or listen://HOST:PORT")
	}
	switch u.Scheme {
	case "nats", "tls":
		return server{url: o.Control}, nil
	case "listen":
		s = server{own: true, host: u.Hostname()}
		if s.port, err = strconv.Atoi(u.Port()); err != nil || s.port < 1 {
			return s, fmt.Errorf("--control %s: want a port, such as listen://%s:4777", u.Redacted(), u.Hostname())
		}
		return s, nil
	}
	return s, fmt.Errorf("--control %s: want nats://, tls:// or listen://", u.Redacted())
}

// local is the URL by which this process reaches its own control server.
func (s server) local(port int) string {
	host := s.host
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "nats://" + net.JoinHostPort(host, strconv.Itoa(port))
}

// sshHosts returns what follows ssh:// in a list.
func sshHosts(spec string) (hosts []string, err error) {
	for one := range strings.SplitSeq(spec, ",") {
		host, ok := strings.CutPrefix(one, "ssh://")
		switch {
		case !ok || host == "":
			return nil, fmt.Errorf("--agents %s: want ssh://HOST,ssh://HOST", spec)
		case strings.HasPrefix(host, "-") || strings.ContainsAny(host, " \t\n"):
			return nil, fmt.Errorf("--agents %s: %q is no host", spec, host)
		case slices.ContainsFunc(hosts, func(other string) bool { return machineOf(other) == machineOf(host) }):
			return nil, fmt.Errorf("--agents %s: %s is there twice: two agents on one machine disturb each other", spec, machineOf(host))
		}
		hosts = append(hosts, host)
	}
	return hosts, nil
}

// machineOf returns the machine of an ssh host, without the user and the usual port.
func machineOf(host string) string {
	_, machine, found := strings.Cut(host, "@")
	if !found {
		machine = host
	}
	return strings.ToLower(strings.TrimSuffix(machine, ":22"))
}

// names returns the names of the agents, which are parts of subjects: without dots.
func (p Placement) names() (names []string) {
	for i := range p.N {
		if p.Kind == SSH {
			names = append(names, strings.ReplaceAll(plan.FileName(p.Hosts[i]), ".", "_"))
			continue
		}
		names = append(names, fmt.Sprintf("a%d", i+1))
	}
	return names
}

// Check returns why so many agents cannot share the cells; nil if they can.
func (p Placement) Check(cells []plan.Cell) error {
	var errs []error
	for _, cell := range cells {
		if _, err := cell.Part(schedule.Part{Index: p.N - 1, Of: p.N}); err != nil && cell.Repeat < 2 {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
