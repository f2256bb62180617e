package html

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/brokerbench/brokerbench/internal/compare/ab"
	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
	"github.com/brokerbench/brokerbench/internal/search"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// pairsFile is the file that ab writes beside the cells of a run.
const pairsFile = "ab.json"

// A found is what a search found for one target, shape and objective.
type found struct {
	search.Row

	Run    int        `json:"run"` // in document.Runs
	Target string     `json:"target"`
	Hue    int        `json:"hue"`
	Shape  plan.Shape `json:"shape"` // its rate means nothing
}

// addSearch adds the findings of a search, if the run is one: else its probes are shown as cells.
func (d *document) addSearch(store *results.Store) error {
	document, err := search.Read(store.Dir())
	if document == nil {
		return err
	}
	for _, r := range document.Searches {
		for _, row := range r.Rows {
			d.Searches = append(d.Searches, found{Row: row, Run: len(d.Runs) - 1, Target: r.Target, Hue: d.targets.Hue(r.Target), Shape: r.Shape})
		}
	}
	return nil
}

// A pairs is what ab found.
type pairs struct {
	ab.Result

	Difference string `json:"difference"` // of the two sides' options
}

// addPairs adds what ab found, if the run is one of its sides.
func (d *document) addPairs(store *results.Store) error {
	var found ab.Result
	there, err := beside(store, pairsFile, ab.Schema, &found)
	if there {
		d.Pairs = &pairs{found, found.Difference()}
	}
	return err
}

// beside reads a finding that a command leaves in the folder of its run. It reports whether there is one;
// one of another version of this program, in another schema, is left out.
func beside(store *results.Store, name, schema string, finding any) (there bool, err error) {
	path := filepath.Join(store.Dir(), name)
	text, err := safefile.Read(path, 16<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading: %w", err)
	}
	var head struct{ Schema string }
	if err = json.Unmarshal(text, &head); err == nil && head.Schema == schema {
		there, err = true, json.Unmarshal(text, finding)
	}
	if err != nil {
		return false, fmt.Errorf("reading %s: %w", path, err)
	}
	return there, nil
}
