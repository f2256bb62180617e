package local

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	deploy "github.com/brokerbench/brokerbench/deploy/local"
	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/systems/guardian"
	"github.com/brokerbench/brokerbench/plan"
)

// Options say how a target is prepared.
type Options struct {
	Guardian *guardian.Guardian
	// Fronted has each node advertise its Address to clients. The node does not listen there: a
	// proxy has to, as its Fronts say.
	Fronted bool
	// NATS is a command that becomes a NATS server with the arguments of nats-server; only
	// needed for NATS.
	NATS []string
	// Network creates a network of n machines; only needed for targets that want one. It returns the
	// machines as deploy/local reads them: the address of this machine, then address and namespace of
	// each other. remove is called once, when nothing runs in it.
	Network func(ctx context.Context, n int) (machines string, remove func() error, err error)
}

// A Prepared is a target that can be started.
type Prepared struct {
	System plan.System
	URL    string // of the target, options included
	Dir    string // what the nodes write; nobody needs it afterwards

	removeNetwork func() error // nil: the nodes are on this machine
	guard         *guardian.Guardian
	undo          []int // entries of the guardian's list, of which the last is done first
}

// Remove gives back the ports and removes folder and network, once the nodes have ended. Without it the
// guardian does so in the end.
func (p *Prepared) Remove() error {
	for len(p.undo) > 0 {
		last := len(p.undo) - 1
		if err := p.guard.Undo(p.undo[last]); err != nil {
			return fmt.Errorf("removing %s: %w", p.Dir, err)
		}
		p.undo = p.undo[:last]
	}
	if p.removeNetwork == nil {
		return nil
	}
	return p.removeNetwork()
}

// Prepare configures the nodes of a target at free ports, in a new folder that is removed when
// the guardian ends. It starts none of them.
func Prepare(ctx context.Context, t Target, o Options) (*Prepared, error) {
	p, err := prepare(ctx, t, o)
	if err != nil {
		return nil, fmt.Errorf("preparing local:%s: %w", t.Name, err)
	}
	return p, nil
}

func prepare(ctx context.Context, t Target, o Options) (p *Prepared, err error) {
	var machines string
	var removeNetwork func() error
	if t.Network != "" {
		if o.Network == nil {
			return nil, errors.New("this program cannot create networks")
		}
		if machines, removeNetwork, err = o.Network(ctx, t.Nodes); err != nil {
			return nil, err
		}
	}
	dir, removed, err := folder(o.Guardian)
	if err != nil {
		return nil, err
	}
	if err := unpack(filepath.Join(dir, "script"), o.NATS); err != nil {
		return nil, err
	}
	s := script{dir: dir, guard: o.Guardian}
	down, err := o.Guardian.Before(guardian.Undo{Run: s.command("down")}) // which gives back the ports
	if err != nil {
		return nil, err
	}
	undo, err := beforeMounts(t, dir, o.Guardian)
	if err != nil {
		return nil, err
	}
	args := []string{"nodes", "--nodes", strconv.Itoa(t.Nodes)}
	if t.Data > 0 {
		args = append(args, "--data", strconv.Itoa(t.Data))
	}
	if level := t.Durability; level != "" {
		args = append(args, "--durability", strings.Replace(level, "node", "process", 1)) // the other nodes do the rest
	}
	if o.Fronted {
		args = append(args, "--fronted")
	}
	if machines != "" {
		args = append(args, "--network", machines)
	}
	server := brokers()[t.Name].server
	said, err := s.run(ctx, append(args, server)...)
	if err != nil {
		return nil, err
	}
	p = read(said)
	p.Dir, p.guard, p.undo, p.removeNetwork = dir, o.Guardian, append([]int{removed, down}, undo...), removeNetwork
	p.URL = t.url(said)
	for i, n := range p.System.Nodes {
		p.System.Nodes[i].Ready, p.System.Nodes[i].ReadyIn = s.command("answers", server, n.Name), patience
	}
	if t.Nodes > 1 {
		p.System.Formed = s.command("formed", server)
	}
	return p, nil
}

// beforeMounts has the guardian unmount what will be mounted in a folder; nothing if nothing will.
func beforeMounts(t Target, dir string, g *guardian.Guardian) (undo []int, err error) {
	if t.Data == 0 {
		return nil, nil
	}
	if os.Geteuid() != 0 || !process.Admin() {
		return nil, errors.New("data: mounting a file system for each node needs root with CAP_SYS_ADMIN: in a container, --privileged")
	}
	entry, err := g.Before(guardian.Undo{Unmount: dir})
	return []int{entry}, err
}

// patience is how long a node may take to be ready on a busy machine.
const patience = 3 * time.Minute

// url returns the target's URL.
func (t Target) url(said []line) string {
	b := brokers()[t.Name]
	urls := make(map[string]string)
	for _, l := range said {
		urls[l.word] = l.text
	}
	u := urls[cmp.Or(b.url, "url")]
	if b.scheme != "" {
		_, rest, _ := strings.Cut(u, "://")
		u = b.scheme + "://" + rest
	}
	if at, err := url.Parse(urls[b.at]); b.asked != "" && err == nil && option(t.Query, b.asked) == "" {
		at.User = nil // those of the target serve
		u = join(u, b.asked+"="+url.QueryEscape(at.String()))
	}
	return t.with(u)
}

// option returns the value of an option in a query.
func option(query, name string) string {
	values, _ := url.ParseQuery(query) // who opens the target says what is wrong with it
	return values.Get(name)
}

// folder makes the folder of a system, after it has registered its removal with the guardian.
func folder(g *guardian.Guardian) (dir string, entry int, err error) {
	dir = filepath.Join(guardian.Folder(), "run-"+rand.Text())
	if entry, err = g.Before(guardian.Undo{Remove: dir}); err != nil {
		return "", 0, err
	}
	return dir, entry, os.MkdirAll(dir, 0o755) //nolint:gosec // brokers may run as other users
}

// natsServer is the file that becomes a NATS server.
const natsServer = "nats-server"

// unpack writes the script and the files that it needs.
func unpack(dir string, nats []string) error {
	err := fs.WalkDir(deploy.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err != nil || entry.IsDir() {
			return errors.Join(err, os.MkdirAll(to, 0o755)) //nolint:gosec // nothing secret
		}
		text, err := deploy.Files.ReadFile(name)
		return errors.Join(err, os.WriteFile(to, text, 0o755)) //nolint:gosec // scripts are run
	})
	if err != nil || len(nats) == 0 {
		return err
	}
	becomes := "#!/bin/sh\nexec"
	for _, word := range nats {
		becomes += " '" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return os.WriteFile(filepath.Join(dir, natsServer), []byte(becomes+" \"$@\"\n"), 0o755) //nolint:gosec // it is run
}

// A script is deploy/local/brokers with a separate state.
type script struct {
	dir   string
	guard *guardian.Guardian
}

// command returns a command line of the script.
func (s script) command(args ...string) []string {
	env := []string{
		"env", "BROKERBENCH_STATE=" + filepath.Join(s.dir, "state"), "BROKERBENCH_INSTALL=no",
		"BROKERBENCH_NATS_SERVER=" + filepath.Join(s.dir, "script", natsServer),
	}
	return append(append(env, "bash", filepath.Join(s.dir, "script", deploy.Script)), args...)
}

// A line is what the script says of one thing.
type line struct{ word, text string }

// run runs the script, which ends when brokerbench ends, and returns what it says.
func (s script) run(ctx context.Context, args ...string) ([]line, error) {
	log := filepath.Join(s.dir, "prepare.log")
	id, err := s.guard.Run(guardian.Command{Args: s.command(args...), Log: log})
	if err != nil {
		return nil, err
	}
	how, err := s.await(ctx, id)
	text, readErr := os.ReadFile(log)
	if err = errors.Join(err, readErr); err != nil {
		return nil, err
	}
	said, notes := lines(string(text))
	if how != "exit status 0" {
		return nil, fmt.Errorf("%s", cmp.Or(notes, how))
	}
	return said, nil
}

// await waits until the script has ended, or ends it.
func (s script) await(ctx context.Context, id process.ID) (how string, err error) {
	for {
		if how, err = s.guard.How(id); how != "" || err != nil {
			return how, err
		}
		select {
		case <-ctx.Done():
			for _, one := range process.Family(id.PID) {
				err = errors.Join(err, one.Kill())
			}
			return "", errors.Join(context.Cause(ctx), err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// lines splits what the script printed into what it says, and the last of its notes.
func lines(text string) (said []line, note string) {
	for l := range strings.Lines(text) {
		l = strings.TrimSuffix(l, "\n")
		if word, rest, ok := strings.Cut(l, "\t"); ok {
			said = append(said, line{word, rest})
		} else if l != "" {
			note = strings.TrimPrefix(l, "brokers: ")
		}
	}
	return said, note
}

// read makes a system of what the script says.
func read(said []line) *Prepared {
	p := new(Prepared)
	n := new(plan.Node) // which the lines are about; those before the first node count for nothing
	for _, l := range said {
		switch l.word {
		case "helper":
			p.System.Helpers = append(p.System.Helpers, plan.Node{Name: l.text})
			n = &p.System.Helpers[len(p.System.Helpers)-1]
		case "node":
			p.System.Nodes = append(p.System.Nodes, plan.Node{Name: l.text})
			n = &p.System.Nodes[len(p.System.Nodes)-1]
		case "dir":
			n.Dir = l.text
		case "log":
			n.Log = l.text
		case "argument":
			n.Command = append(n.Command, l.text)
		case "data":
			n.Data = l.text
		case "address":
			n.Address = l.text
		case "front":
			if n.Fronts == nil {
				n.Fronts = make(map[string]string)
			}
			front, behind, _ := strings.Cut(l.text, " ")
			n.Fronts[front] = behind
		}
	}
	return p
}
