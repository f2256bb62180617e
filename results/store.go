package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results/internal/file"
)

// The names of the files of a result set.
const (
	RunFile        = "run.json"
	CellsFolder    = "cells"
	CellFile       = "cell.json"
	ResponseFile   = "response.hgrm"
	ServiceFile    = "service.hgrm"
	CorrectedFile  = "corrected.hgrm"
	AckFile        = "ack.hgrm"
	CompleteFile   = "complete.hgrm"
	PublishedFile  = "published.hgrm"
	OutwardFile    = "outward.hgrm"
	BackFile       = "back.hgrm"
	EchoFile       = "echo.hgrm"
	IntervalsFile  = "intervals.hlog"
	ResourcesFile  = "resources.json"
	ResourcesTable = "resources.csv"
	NodesFile      = "nodes.json"
	NodesTable     = "nodes.csv"
	SummaryFolder  = "summary"
	SummaryFile    = "summary.json"
	MergedFile     = "merged.hgrm"
)

// Files returns the names of the files of a result set. None of them may be overwritten.
func Files() []string {
	return []string{
		RunFile, CellFile, ResponseFile, ServiceFile, CorrectedFile, AckFile, CompleteFile, PublishedFile, OutwardFile, BackFile, EchoFile, IntervalsFile, ResourcesFile, ResourcesTable, NodesFile, NodesTable, SummaryFile, MergedFile,
	}
}

// A Store is the folder of one run.
type Store struct{ dir string }

// Create creates a new folder <out>/<time>-<name>, with the name as plan.FileName writes it,
// and out if it does not exist. It never uses an existing folder: it adds a number to the
// name.
func Create(out, name string, at time.Time) (*Store, error) {
	if err := os.MkdirAll(out, 0o755); err != nil { //nolint:gosec // results are for everyone to read
		return nil, fmt.Errorf("creating folder %s: %w", out, err)
	}
	base := filepath.Join(out, at.Format("20060102-150405")+"-"+plan.FileName(name))
	for n := 1; ; n++ {
		dir := base
		if n > 1 {
			dir = fmt.Sprintf("%s-%d", base, n)
		}
		err := os.Mkdir(dir, 0o755) //nolint:gosec // results are for everyone to read
		if err == nil {
			return &Store{dir: dir}, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("creating folder %s: %w", dir, err)
		}
	}
}

// Open returns the store in an existing folder of a run.
func Open(dir string) (*Store, error) {
	if _, err := os.Stat(filepath.Join(dir, RunFile)); err != nil {
		return nil, fmt.Errorf("%s is not the folder of a run: %w", dir, err)
	}
	return &Store{dir: dir}, nil
}

// Dir returns the folder.
func (s *Store) Dir() string { return s.dir }

// SaveRun writes run.json. It is called repeatedly during a run.
func (s *Store) SaveRun(r Run) error {
	r.Schema = RunSchema
	return file.WriteJSON(filepath.Join(s.dir, RunFile), r)
}

// Run reads run.json.
func (s *Store) Run() (Run, error) {
	var r Run
	err := file.ReadJSON(filepath.Join(s.dir, RunFile), &r, &r.Schema, RunSchema, file.Small())
	return r, err
}

// CreateCell creates the folder of a cell.
func (s *Store) CreateCell(id string) (*CellFolder, error) {
	dir, err := s.createFolder(CellsFolder, id)
	if err != nil {
		return nil, err
	}
	return &CellFolder{dir: dir}, nil
}

// createFolder creates the folder of an ID below the folder of its kind. It must not exist.
func (s *Store) createFolder(kind, id string) (dir string, err error) {
	dir = filepath.Join(s.dir, kind, id)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil { //nolint:gosec // results are for everyone to read
		return "", fmt.Errorf("creating folder %s: %w", filepath.Dir(dir), err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil { //nolint:gosec // results are for everyone to read
		return "", fmt.Errorf("creating folder %s: %w", dir, err)
	}
	return dir, nil
}

// Cell returns the folder of a cell that exists.
func (s *Store) Cell(id string) *CellFolder {
	return &CellFolder{dir: filepath.Join(s.dir, CellsFolder, id)}
}
