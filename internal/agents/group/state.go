package group

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/control"
	"github.com/brokerbench/brokerbench/internal/agents/coordinator"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A State is what it takes to continue a run whose coordinator died. It is not with the results,
// because it holds secrets, but in a folder that only its user reads:
// $XDG_STATE_HOME/brokerbench/RUN. It is removed when the run is over.
type State struct {
	Options

	Run     string    `json:"run"`
	Results string    `json:"results"`        // the folder of the run; "" before it exists
	Plan    plan.Plan `json:"plan"`           // with passwords
	Resumed int       `json:"resumed"`        // how often the run was resumed
	Once    string    `json:"once,omitempty"` // why the run cannot be resumed; "" if it can

	Attempt *coordinator.Attempt `json:"attempt,omitempty"` // the last that began, whose results agents may have

	Port    int             `json:"port"` // of the run's own control server
	URL     string          `json:"url"`  // by which agents reach the control server
	Secrets control.Secrets `json:"secrets"`

	dir  string
	lock *os.File // see hold; nil: this process does not coordinate the run
}

// stateDir returns the folder of a run's state.
func stateDir(variable func(string) string, run string) (string, error) {
	if home := variable("XDG_STATE_HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, "brokerbench", run), nil
	}
	if home := variable("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "brokerbench", run), nil
	}
	return "", errors.New("there is no home folder for the state of a run with agents: set XDG_STATE_HOME")
}

// newState creates the state of a run.
func newState(variable func(string) string, s State) (*State, error) {
	where, err := s.Parse()
	if err != nil {
		return nil, err
	}
	if s.dir, err = stateDir(variable, s.Run); err != nil {
		return nil, err
	}
	if s.Secrets, err = control.NewSecrets(where.names()); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, fmt.Errorf("creating the folder of the run's state: %w", err)
	}
	if err := s.hold(); err != nil {
		return nil, err
	}
	return &s, s.save()
}

// Read reads the state of a run that its coordinator left, and keeps other processes from resuming
// it until Close or Remove. It is an error if that coordinator is still running. variable looks up the
// environment.
func Read(variable func(string) string, run results.Run) (*State, error) {
	if !run.Finished.IsZero() {
		return nil, fmt.Errorf("run %s is over: there is nothing to resume", run.ID)
	}
	dir, err := stateDir(variable, run.ID)
	if err != nil {
		return nil, err
	}
	s := &State{dir: dir}
	if err = s.hold(); err == nil {
		err = s.read()
	}
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("run %s: there is no %s: the run had no agents, or ran on another machine, or is over", run.ID, dir)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *State) read() error {
	text, err := os.ReadFile(s.file())
	if err == nil {
		err = json.Unmarshal(text, s)
	}
	if err != nil {
		return fmt.Errorf("reading the state of run %s: %w", filepath.Base(s.dir), err)
	}
	return nil
}

// listens records the port at which the run's own control server listens.
func (s *State) listens(at server, port int) error {
	host := at.host
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		name, err := os.Hostname()
		if err != nil {
			return fmt.Errorf("finding the name of this machine, by which agents reach it: %w", err)
		}
		host = name
	}
	s.Port, s.URL = port, "nats://"+net.JoinHostPort(host, strconv.Itoa(port))
	return s.save()
}

// begun records the folder of the results.
func (s *State) begun(results string) (err error) {
	if s.Results, err = filepath.Abs(results); err != nil {
		return fmt.Errorf("finding the folder of the run: %w", err)
	}
	return s.save()
}

func (s *State) file() string { return filepath.Join(s.dir, "state.json") }

func (s *State) save() error { return s.write(s.file(), s) }

// write writes a file that only its user reads.
func (s *State) write(path string, v any) error {
	if err := os.Chmod(s.dir, 0o700); err != nil { //nolint:gosec // it is a folder
		return fmt.Errorf("keeping the run's state: %w", err)
	}
	err := safefile.Write(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(v) })
	if err == nil {
		err = os.Chmod(path, 0o600)
	}
	return err
}

// Remove removes the state: the run is over.
func (s *State) Remove() error {
	if err := os.RemoveAll(s.dir); err != nil {
		return fmt.Errorf("removing the run's state: %w", err)
	}
	return nil
}

// joins returns what each agent joins with.
func (s *State) joins(own bool) (list []wire.Join) {
	for _, a := range s.Secrets.Agents {
		j := wire.Join{URL: s.URL, Run: s.Run, Agent: wire.Identity{Name: a.Name}, Expires: time.Now().Add(wire.Valid)}
		if own { // another server knows no secrets of ours
			j.SHA256, j.Agent = s.Secrets.SHA256(), a
		}
		list = append(list, j)
	}
	return list
}

// writeJoins writes the files with which agents join, one for each, and returns their folder:
// 0.json, 1.json and so on.
func (s *State) writeJoins(own bool) (dir string, err error) {
	dir = filepath.Join(s.dir, "join")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("creating the folder of join files: %w", err)
	}
	for i, j := range s.joins(own) {
		if err := s.write(filepath.Join(dir, fmt.Sprintf("%d.json", i)), j); err != nil {
			return "", err
		}
	}
	return dir, nil
}
