package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/brokerbench/brokerbench/cluster/place"
	"github.com/brokerbench/brokerbench/measure"
)

// place starts the agents, or says how they are started.
func (g *group) place(ctx context.Context) error {
	switch g.where.kind {
	case "local":
		return g.placeLocal()
	case "ssh":
		return g.placeSSH(ctx)
	case "k8s":
		return g.placeKubernetes(ctx)
	}
	dir, err := g.state.writeJoins()
	if err != nil {
		return err
	}
	g.say(fmt.Sprintf("waiting for %d agents: run `brokerbench agent --join FILE` on their machines; each has a file of its own, 0.json to %d.json in %s, a secret",
		g.where.n, g.where.n-1, dir))
	return nil
}

func (g *group) placeLocal() error {
	for _, j := range g.state.joins() {
		if err := g.launcher.launch(j.Agent.Name, func() (agentProcess, error) { return started(place.Local(j)) }); err != nil {
			return err
		}
	}
	return nil
}

// placeSSH copies this program to the hosts, all at once, and starts it there.
func (g *group) placeSSH(ctx context.Context) error {
	forward := 0
	if g.o.control == "" {
		forward = g.state.Port
	}
	s, err := place.NewSSH(g.command("BROKERBENCH_SSH", "ssh"), forward)
	if err != nil {
		return err
	}
	errs := make([]error, g.where.n)
	var all sync.WaitGroup
	for i, host := range g.where.hosts {
		all.Go(func() { errs[i] = s.Install(ctx, "ssh://"+host) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for i, j := range g.state.joins() {
		err := g.launcher.launch(j.Agent.Name, func() (agentProcess, error) { return started(s.Start("ssh://"+g.where.hosts[i], j)) })
		if err != nil {
			return err
		}
	}
	return nil
}

// placeKubernetes makes an Indexed Job of the agents.
func (g *group) placeKubernetes(ctx context.Context) error {
	if g.o.control == "" {
		return usage(errors.New("--agents k8s needs --control: pods do not reach this machine's 127.0.0.1 (a NATS with JetStream that both reach, or listen://HOST:PORT)"))
	}
	command := g.command("BROKERBENCH_KUBECTL", "kubectl")
	if g.o.context != "" {
		command = append(command, "--context", g.o.context)
	}
	image := cmp.Or(g.variable("BROKERBENCH_IMAGE"), "ghcr.io/brokerbench/brokerbench:"+strings.TrimPrefix(measure.Version(), "v"))
	k := place.Kubectl{Command: command, Run: g.state.Run, Image: image}
	g.remove = func() error { return k.Stop(context.WithoutCancel(ctx)) }
	return k.Start(ctx, g.state.joins())
}

// command returns a command of the system, which a variable may replace or give options.
func (g *group) command(variable, name string) []string {
	if words := strings.Fields(g.variable(variable)); len(words) > 0 {
		return words
	}
	return []string{name}
}

func (g *group) variable(name string) string {
	value, _ := lookup(g.s.Environ)(name)
	return value
}
