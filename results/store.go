package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/brokerbench/brokerbench/internal/atomicfile"
	"github.com/brokerbench/brokerbench/internal/regular"
	"github.com/brokerbench/brokerbench/plan"
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

// Files returns the names of the files of a result set, none of which may be replaced.
func Files() []string {
	return []string{
		RunFile, CellFile, ResponseFile, ServiceFile, CorrectedFile, AckFile, CompleteFile, PublishedFile, OutwardFile, BackFile, EchoFile, IntervalsFile, ResourcesFile, ResourcesTable, NodesFile, NodesTable, SummaryFile, MergedFile,
	}
}

// A Store is the folder of one run. Create makes it; Open reads it.
type Store struct{ dir string }

// Create makes a new folder <out>/<time>-<name>, with the name as plan.FileName has
// it, and out if it does not exist. It never uses a folder that exists: it adds a number to the name.
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

// SaveRun writes run.json. It is called again and again as a run goes on.
func (s *Store) SaveRun(r Run) error {
	r.Schema = RunSchema
	return writeJSON(filepath.Join(s.dir, RunFile), r)
}

// Run reads run.json.
func (s *Store) Run() (Run, error) {
	var r Run
	err := readJSON(filepath.Join(s.dir, RunFile), &r, &r.Schema, RunSchema, mostJSON)
	return r, err
}

// CreateCell makes the folder of a cell.
func (s *Store) CreateCell(id string) (*CellFolder, error) {
	dir, err := s.createFolder(CellsFolder, id)
	if err != nil {
		return nil, err
	}
	return &CellFolder{dir: dir}, nil
}

// createFolder makes the folder of an ID below the folder of its kind. It must not
// exist yet.
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

// A bound is how much of a file is read, so that one that was made to fill the memory
// does not: an empty object takes two bytes of text, and some hundred of memory.
type bound struct{ bytes, objects int64 }

var (
	mostJSON      = bound{16 << 20, 1 << 18}
	mostResources = bound{1 << 30, 6 * 7 * 86_400} // a week of seconds, with six objects and 1.7 kB each
)

// readJSON reads a file into v, whose field schema must then be the one that is
// wanted.
func readJSON(path string, v any, schema *string, want string, most bound) error {
	text, err := regular.Read(path, most.bytes)
	if err != nil {
		return fmt.Errorf("reading: %w", err)
	}
	if n := int64(bytes.Count(text, []byte("{"))); n > most.objects {
		return fmt.Errorf("reading %s: it has %d objects: at most %d are read", path, n, most.objects)
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	if *schema != want {
		return fmt.Errorf("%s: schema %q, this version reads %q", path, *schema, want)
	}
	return nil
}

func writeJSON(path string, v any) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return out.Encode(v)
	})
}
