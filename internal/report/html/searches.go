package html

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
	"github.com/brokerbench/brokerbench/internal/search"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// searchFile is what a search leaves beside the cells of its probes.
const searchFile = "search.json"

// A found is what a search found for one target, shape and objective.
type found struct {
	search.Row

	Run    int        `json:"run"` // in document.Runs
	Target string     `json:"target"`
	Hue    int        `json:"hue"`
	Shape  plan.Shape `json:"shape"` // its rate means nothing
}

// addSearch adds the findings of a search, if the run is one. Findings of another version of
// this program, in another schema, are left out: its probes are shown as cells.
func (d *document) addSearch(store *results.Store) error {
	path := filepath.Join(store.Dir(), searchFile)
	text, err := safefile.Read(path, 16<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading: %w", err)
	}
	var head struct{ Schema string }
	if err := json.Unmarshal(text, &head); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	if head.Schema != search.Schema {
		return nil
	}
	var document search.Document
	if err := json.Unmarshal(text, &document); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	for _, r := range document.Searches {
		for _, row := range r.Rows {
			d.Searches = append(d.Searches, found{Row: row, Run: len(d.Runs) - 1, Target: r.Target, Hue: d.targets.Hue(r.Target), Shape: r.Shape})
		}
	}
	return nil
}
