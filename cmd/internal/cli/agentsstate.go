package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cluster/control"
	"github.com/brokerbench/brokerbench/cluster/wire"
	"github.com/brokerbench/brokerbench/internal/atomicfile"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
)

// A runState is what it takes to go on with a run whose coordinator died. It is not with the
// results, because it holds secrets, but in a folder that only its user reads:
// $XDG_STATE_HOME/brokerbench/RUN, and is removed when the run is over.
type runState struct {
	dir  string
	lock *os.File // see hold; nil: this process does not coordinate the run

	Run     string          `json:"run"`
	Results string          `json:"results"` // the folder of the run; "" before there is one
	Plan    plan.Plan       `json:"plan"`    // with passwords
	Agents  string          `json:"agents"`  // --agents
	N       int             `json:"n"`
	Context string          `json:"context"`
	Control string          `json:"control"` // --control; "" if it was not given
	OnLoss  string          `json:"on_loss"`
	MaxSkew time.Duration   `json:"max_skew_ns"`
	Lease   time.Duration   `json:"lease_ns"`
	Wait    time.Duration   `json:"wait_ns"`
	Own     bool            `json:"own"`  // the control server is brokerbench's
	Host    string          `json:"host"` // where it listens
	Port    int             `json:"port"`
	URL     string          `json:"url"` // by which agents reach it
	Secrets control.Secrets `json:"secrets"`
	Once    string          `json:"once,omitempty"` // why nobody can go on with it; "" if one can
}

// stateDir returns the folder of a run's state.
func stateDir(environ []string, run string) (string, error) {
	look := lookup(environ)
	if home, ok := look("XDG_STATE_HOME"); ok && filepath.IsAbs(home) {
		return filepath.Join(home, "brokerbench", run), nil
	}
	if home, ok := look("HOME"); ok && filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "brokerbench", run), nil
	}
	return "", errors.New("there is no home folder for the state of a run with agents: set XDG_STATE_HOME")
}

// newRunState makes the state of a run that begins.
func newRunState(s Streams, a agentsFlags, p plan.Plan, once string) (r *runState, err error) {
	r = &runState{
		Run: measure.NewID(time.Now()), Plan: p, Once: once, Agents: a.spec, N: a.n, Context: a.context, Control: a.control, OnLoss: a.onLoss, MaxSkew: a.maxSkew, Lease: a.lease, Wait: a.wait,
	}
	if err := r.reach(a.control); err != nil {
		return nil, usage(err)
	}
	if r.dir, err = stateDir(s.Environ, r.Run); err != nil {
		return nil, err
	}
	if r.Secrets, err = control.NewSecrets(a.where.names()); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(r.streams(), 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of the run's state: %w", err)
	}
	if err := r.hold(); err != nil {
		return nil, err
	}
	return r, r.save()
}

// reach reads --control.
func (r *runState) reach(text string) error {
	if text == "" {
		r.Own, r.Host = true, "127.0.0.1"
		return nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return fmt.Errorf("--control %s: want nats://HOST:PORT, tls://HOST:PORT or listen://HOST:PORT", brokers.Redact(text))
	}
	switch u.Scheme {
	case "nats", "tls":
		r.URL = text
	case "listen":
		r.Own, r.Host = true, u.Hostname()
		if r.Port, err = strconv.Atoi(u.Port()); err != nil || r.Port < 1 {
			return fmt.Errorf("--control %s: want a port, such as listen://%s:4777", text, u.Hostname())
		}
	default:
		return fmt.Errorf("--control %s: want nats://, tls:// or listen://", brokers.Redact(text))
	}
	return nil
}

// listens takes where the control server listens.
func (r *runState) listens(port int) error {
	r.Port = port
	host := r.Host
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		name, err := os.Hostname()
		if err != nil {
			return fmt.Errorf("finding the name of this machine, by which agents reach it: %w", err)
		}
		host = name
	}
	r.URL = "nats://" + net.JoinHostPort(host, strconv.Itoa(port))
	return r.save()
}

// local is the URL by which this process reaches its own control server.
func (r *runState) local() string {
	host := r.Host
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "nats://" + net.JoinHostPort(host, strconv.Itoa(r.Port))
}

// begun takes where the results are.
func (r *runState) begun(results string) (err error) {
	if r.Results, err = filepath.Abs(results); err != nil {
		return fmt.Errorf("finding the folder of the run: %w", err)
	}
	return r.save()
}

func (r *runState) streams() string { return filepath.Join(r.dir, "streams") }
func (r *runState) file() string    { return filepath.Join(r.dir, "state.json") }

func (r *runState) save() error { return r.write(r.file(), r) }

// write writes a file that only its user reads.
func (r *runState) write(path string, v any) error {
	if err := os.Chmod(r.dir, 0o700); err != nil { //nolint:gosec // it is a folder
		return fmt.Errorf("keeping the run's state: %w", err)
	}
	err := atomicfile.Write(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(v) })
	if err == nil {
		err = os.Chmod(path, 0o600)
	}
	return err
}

// remove removes the state: the run is over.
func (r *runState) remove() error {
	if err := os.RemoveAll(r.dir); err != nil {
		return fmt.Errorf("removing the run's state: %w", err)
	}
	return nil
}

// joins returns what each agent joins with.
func (r *runState) joins() (list []wire.Join) {
	for _, a := range r.Secrets.Agents {
		j := wire.Join{URL: r.URL, Run: r.Run, Agent: wire.Identity{Name: a.Name}, Expires: time.Now().Add(wire.Valid)}
		if r.Own { // another server knows no nkeys of ours
			j.SHA256, j.Agent = r.Secrets.SHA256(), a
		}
		list = append(list, j)
	}
	return list
}

// writeJoins writes the files with which agents may join, one for each, and returns their
// folder: 0.json, 1.json and so on.
func (r *runState) writeJoins() (dir string, err error) {
	dir = filepath.Join(r.dir, "join")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("making the folder of join files: %w", err)
	}
	for i, j := range r.joins() {
		if err := r.write(filepath.Join(dir, fmt.Sprintf("%d.json", i)), j); err != nil {
			return "", err
		}
	}
	return dir, nil
}
