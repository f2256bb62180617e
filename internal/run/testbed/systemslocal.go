package testbed

import (
	"errors"
	"fmt"
	"os"

	"github.com/brokerbench/brokerbench/internal/systems/local"
	"github.com/brokerbench/brokerbench/plan"
)

// parseLocal implements systemsWing.Parse.
func parseLocal(url string) (broker, usual string, err error) {
	ready, err := local.Parse(url)
	if err != nil {
		return "", "", err
	}
	return ready.Name, ready.Sample(), nil
}

// localSystem implements systemsWing.System. The URL was parsed before.
func localSystem(url string) (s plan.System) {
	ready, _ := local.Parse(url)
	for i := range ready.Nodes {
		s.Nodes = append(s.Nodes, plan.Node{Name: fmt.Sprint(i + 1), Address: "127.0.0.1:0", Command: []string{ready.Name}, Data: os.TempDir()}) // Prepare says where
	}
	return s
}

// networked implements systemsWing.Networked. The URL was parsed before.
func networked(url string) bool {
	ready, _ := local.Parse(url)
	return ready.Network != ""
}

// fillableLocal implements systemsWing.Fillable: a ready-made node has its own disk if the
// target asks for one, once it has been prepared.
func fillableLocal(url string) error {
	ready, err := local.Parse(url)
	switch {
	case err != nil:
		return err
	case ready.Data == 0:
		ready.Data = 256 << 20
		return fmt.Errorf("its nodes share a disk with others: give each node a small separate disk, as %s", ready)
	case os.Geteuid() != 0:
		return errors.New("only root can mount a disk for each node")
	}
	return nil
}
