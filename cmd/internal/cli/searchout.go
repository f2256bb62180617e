package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/internal/suggest"
	"github.com/brokerbench/brokerbench/requester/measure"
	"github.com/brokerbench/brokerbench/requester/plan"
	"github.com/brokerbench/brokerbench/requester/search"
	"github.com/brokerbench/brokerbench/results"
	"github.com/brokerbench/brokerbench/results/report"
)

// print prints what was found in the format that was asked for.
func (o *searchOptions) print(s Streams, store *results.Store, run results.Run, cfg search.Config, found []search.Result) error {
	switch o.format {
	case "json":
		e := json.NewEncoder(s.Out)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			Run      results.Run     `json:"run"`
			Searches []search.Result `json:"searches"`
		}{run, found})
	case "md":
		return search.Markdown(s.Out, cfg, found)
	}
	if err := search.Table(s.Out, cfg, found); err != nil {
		return err
	}
	_, err := fmt.Fprintln(s.Out, "files:", store.Dir())
	return err
}

// searching tells how far a search is: a line for each probe, and on a terminal
// one that is redrawn meanwhile.
type searching struct {
	progress
	objectives []plan.Objective
	n          int
}

func (t *searching) began(cell plan.Cell) {
	t.n++
	t.label = fmt.Sprintf("probe %d: %s %s c%d at %d/s", t.n, cell.Target.Name, report.Size(cell.Shape.Size), cell.Shape.Connections, cell.Shape.Rate)
}

// watch tells how far the probe is, where a line can be redrawn.
func (t *searching) watch(now measure.Progress) {
	if t.terminal {
		t.progress.watch(now)
	}
}

// ended tells what the probe said.
func (t *searching) ended(p search.Probe) {
	t.redraw("")
	if t.quiet {
		return
	}
	kind := ""
	if p.Confirm {
		kind = ", confirming"
	}
	texts := make([]string, len(p.Answers))
	for i, a := range p.Answers {
		texts[i] = fmt.Sprintf("%v %s (%s)", t.objectives[i], a.Answer, a.Measured)
		if a.Reason != "" {
			texts[i] += ": " + a.Reason
		}
	}
	fmt.Fprintf(t.w, "%s for %v%s: %s\n", t.label, p.Window, kind, strings.Join(texts, ", "))
}

// failed ends the line of a probe that gave no answer.
func (t *searching) failed(err error) {
	if err != nil {
		t.redraw("")
	}
}

// parsed reads the value of a flag.
func parsed[T any](flag, text string, parse func(string) (T, error)) (v T, err error) {
	if v, err = parse(text); err != nil {
		return v, fmt.Errorf("%s: %w", flag, err)
	}
	return v, nil
}

// parsePrecision reads a percentage as a part of 1.
func parsePrecision(text string) (float64, error) {
	number, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !percent || !(v > 0) {
		return 0, fmt.Errorf("%q: want a percentage, such as 5%%", text)
	}
	return v / 100, nil
}

// oneOf wants a format to be one of those.
func oneOf(format string, formats ...string) error {
	if slices.Contains(formats, format) {
		return nil
	}
	return errors.New("--output " + strconv.Quote(format) + ": want " + strings.Join(formats, ", ") + suggest.Hint(format, formats))
}
