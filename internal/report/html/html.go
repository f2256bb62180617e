// Package html shows result sets as one HTML file that needs nothing else: no
// network, no server, no folder beside it.
//
// The file holds a small table of all cells as JSON, and for each cell a
// compressed blob that the page unpacks when the cell is shown: cell.json, what
// happened in each interval, and the interval histograms of response and
// service, so that the page recomputes the percentiles of any span exactly as
// package histogram does. A thousand cells open as fast as one.
//
// Package plot draws the charts of percentiles, probes and rates; each is an SVG
// in a blob. The script draws the answer, which follows the filter, and the
// timeline of a cell, in which a span can be chosen.
//
// The script is in assets (ours) and vendor (uPlot). A content
// security policy permits these scripts and styles by their hashes, and nothing
// else: whatever a broker or a target calls itself stays text.
package html

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"strings"
	"sync"

	"github.com/brokerbench/brokerbench/internal/report/plot"
	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/results"
)

// Write writes the report of one result set, or of several side by side. Parts that a
// set lacks (a cell that was not measured, resources, floors) are missing on the
// page too; a file that cannot be understood is an error. Cells are read
// concurrently. Write calls w.Write only after it has read everything.
func Write(w io.Writer, stores ...*results.Store) error {
	d, err := load(stores)
	if err != nil {
		return err
	}
	if err := writePage(w, d); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// load reads everything: the document, with a blob for each of its cells, and one for each of its
// charts.
func load(stores []*results.Store) (*document, error) {
	d := newDocument()
	var sources []source.Source // of document.Cells
	for _, store := range stores {
		list, err := d.addStore(store)
		if err != nil {
			return nil, err
		}
		sources = append(sources, list...)
	}
	options := plot.Options{Targets: source.Targets(sources)}
	err := inParallel(len(sources), func(i int) (err error) {
		if sources[i].Cell != nil {
			d.Cells[i].blob, err = cellBlob(sources[i], options)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	charts := d.drawings(sources, options)
	err = inParallel(len(charts), func(i int) (err error) {
		charts[i].blob, err = drawnBlob(charts[i].draw())
		return err
	})
	for _, c := range charts {
		if c.blob != "" {
			d.Charts = append(d.Charts, c)
		}
	}
	return d, err
}

// addStore adds a result set, and returns its cells; those that were not measured have none.
func (d *document) addStore(store *results.Store) (sources []source.Source, err error) {
	r, err := store.Run()
	if err != nil {
		return nil, err
	}
	d.addRun(r, store.Dir())
	var cells []*results.Cell
	for _, entry := range r.Cells {
		folder := store.Cell(entry.ID)
		c, err := measured(folder, &entry)
		if err != nil {
			return nil, err
		}
		if c == nil {
			d.addCell(len(d.Runs)-1, entry, nil)
			cells, sources = append(cells, nil), append(sources, source.Source{Path: folder.Dir(), Run: store.Dir()})
			continue
		}
		for _, s := range source.Of(folder.Dir(), store.Dir(), c) {
			entry.ID = s.Cell.ID
			d.addCell(len(d.Runs)-1, entry, s.Cell)
			cells, sources = append(cells, s.Cell), append(sources, s)
		}
	}
	d.addAnswer(r, cells)
	return sources, errors.Join(d.addSearch(store), d.addPairs(store))
}

// measured reads a cell. It returns nil for one that was not measured, or whose file
// is gone: then it says so in the entry.
func measured(folder *results.CellFolder, entry *results.Entry) (*results.Cell, error) {
	if entry.Verdict == "" {
		return nil, nil //nolint:nilnil // no cell is what there is
	}
	c, err := folder.Read()
	if errors.Is(err, fs.ErrNotExist) {
		entry.Error = strings.TrimPrefix(entry.Error+"; "+results.CellFile+" is missing", "; ")
		return nil, nil //nolint:nilnil // as above
	}
	return c, err
}

// cellBlob reads a cell for its blob.
func cellBlob(s source.Source, o plot.Options) (string, error) {
	d, err := newDetail(s, o)
	if err != nil {
		return "", err
	}
	return d.blob()
}

// inParallel calls do for 0 to n-1, as many at once as there are cores, since reading the logs
// takes the time.
func inParallel(n int, do func(i int) error) error {
	errs := make([]error, n)
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				errs[i] = do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	workers.Wait()
	return cmp.Or(errs...)
}
