package group

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/brokerbench/brokerbench/internal/agents/place"
	"github.com/brokerbench/brokerbench/internal/leaf/ssh"
)

// place starts the agents, or says how they are started.
func (g *Group) place(ctx context.Context) error {
	switch g.where.Kind {
	case Local:
		return g.placeLocal()
	case SSH:
		return g.placeSSH(ctx)
	case Kubernetes:
		return g.placeKubernetes(ctx)
	case Wait:
	}
	dir, err := g.state.writeJoins(g.server != nil)
	if err != nil {
		return err
	}
	g.env.Say(fmt.Sprintf("waiting for %d agents: run `brokerbench agent --join FILE` on their machines, each with one of the secret files 0.json to %d.json in %s",
		g.where.N, g.where.N-1, dir))
	return nil
}

func (g *Group) placeLocal() error {
	for _, j := range g.state.joins(g.server != nil) {
		if err := g.launcher.launch(j.Agent.Name, func() (agentProcess, error) { return place.Local(j) }); err != nil {
			return err
		}
	}
	return nil
}

// mostInstalls is how many hosts the program is copied to at once: more would fill the network.
const mostInstalls = 16

// placeSSH copies the program to the hosts, and starts it there.
func (g *Group) placeSSH(ctx context.Context) error {
	forward := 0
	if g.state.Control == "" {
		forward = g.state.Port
	}
	program, err := ssh.New(ssh.Command(g.env.Variable("BROKERBENCH_SSH")), g.state.Binary)
	if err != nil {
		return err
	}
	errs := make([]error, g.where.N)
	var all sync.WaitGroup
	free := make(chan struct{}, mostInstalls)
	for i, host := range g.where.Hosts {
		all.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			errs[i] = program.Install(ctx, "ssh://"+host)
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for i, j := range g.state.joins(g.server != nil) {
		err := g.launcher.launch(j.Agent.Name, func() (agentProcess, error) { return place.SSH(program, "ssh://"+g.where.Hosts[i], forward, j) })
		if err != nil {
			return err
		}
	}
	return nil
}

// placeKubernetes makes an Indexed Job of the agents.
func (g *Group) placeKubernetes(ctx context.Context) error {
	command := strings.Fields(cmp.Or(strings.TrimSpace(g.env.Variable("BROKERBENCH_KUBECTL")), "kubectl"))
	if g.state.Context != "" {
		command = append(command, "--context", g.state.Context)
	}
	image := cmp.Or(g.env.Variable("BROKERBENCH_IMAGE"), "ghcr.io/brokerbench/brokerbench:"+strings.TrimPrefix(g.env.Version, "v"))
	k := place.Kubectl{Command: command, Run: g.state.Run, Image: image, Pod: g.env.Variable("BROKERBENCH_POD")}
	g.remove = func() error { return k.Stop(context.WithoutCancel(ctx)) }
	return k.Start(ctx, g.state.joins(g.server != nil))
}
