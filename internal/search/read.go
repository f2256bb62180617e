package search

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
)

// File is the name of the file of a Document in the folder of a run.
const File = "search.json"

// Read reads the document in the folder of a run. It is nil if the run is no search, or one of an
// earlier version.
func Read(dir string) (*Document, error) {
	path := filepath.Join(dir, File)
	text, err := safefile.Read(path, 16<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // no search is a fact about the run
	}
	var d Document
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if d.Schema != Schema {
		return nil, nil //nolint:nilnil // as above
	}
	return &d, nil
}
