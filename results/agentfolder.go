package results

import (
	"fmt"
	"os"
	"path/filepath"
)

// AgentsFolder holds a folder for each agent of a cell, with the files of a cell.
const AgentsFolder = "agents"

// CreateAgent creates the folder of an agent, which must not exist.
func (f *CellFolder) CreateAgent(name string) (*CellFolder, error) {
	dir := filepath.Join(f.dir, AgentsFolder)
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // results are for everyone to read
		return nil, fmt.Errorf("creating folder %s: %w", dir, err)
	}
	dir = filepath.Join(dir, name)
	if err := os.Mkdir(dir, 0o755); err != nil { //nolint:gosec // results are for everyone to read
		return nil, fmt.Errorf("creating folder %s: %w", dir, err)
	}
	return &CellFolder{dir: dir}, nil
}
