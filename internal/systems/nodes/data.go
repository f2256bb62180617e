package nodes

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/brokerbench/brokerbench/internal/systems/guardian"
	"github.com/brokerbench/brokerbench/plan"
)

// DataNodes returns the nodes on this machine whose data folders are known.
func (s *System) DataNodes() (list []plan.Node) {
	for _, n := range s.Nodes {
		if n.Data != "" && n.way.here() {
			list = append(list, n.Node)
		}
	}
	return list
}

// Scratch calls use with a new folder in another one, such as the data folder of a node. It removes the new
// folder afterwards; if this process is killed, the guardian does.
func (s *System) Scratch(folder string, use func(folder string)) error {
	scratch := filepath.Join(folder, ".brokerbench-"+rand.Text())
	entry, err := s.guard.Before(guardian.Undo{Remove: scratch})
	if err != nil {
		return err
	}
	if err = os.Mkdir(scratch, 0o700); err == nil {
		use(scratch)
	}
	if err = errors.Join(err, s.guard.Undo(entry)); err != nil {
		return fmt.Errorf("a folder for measuring the disk: %w", err)
	}
	return nil
}
