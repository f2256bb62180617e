package cli

import (
	"fmt"

	"github.com/brokerbench/brokerbench/measure/search"
	"github.com/brokerbench/brokerbench/results"
)

// searchFile is what was found, in the folder of the run.
const searchFile = "search.json"

// print prints what was found in the format that was asked for.
func (o *searchOptions) print(s Streams, store *results.Store, run results.Run, cfg search.Config, found []search.Result) error {
	switch o.format {
	case "json":
		return printJSON(s.Out, struct {
			Run    results.Run     `json:"run"`
			Search search.Document `json:"search"`
		}{run, search.NewDocument(cfg, found)})
	case "csv":
		return search.CSV(s.Out, found)
	case "md":
		return search.Markdown(s.Out, cfg, found)
	}
	if err := search.Table(s.Out, cfg, found); err != nil {
		return err
	}
	_, err := fmt.Fprintln(s.Out, "files:", store.Dir())
	return err
}
