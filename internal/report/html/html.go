package html

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/brokerbench/brokerbench/internal/report/palette"
	"github.com/brokerbench/brokerbench/internal/report/plot"
	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/results"
)

// Write writes the report of one result set, or of several side by side. Parts that a
// set lacks (a cell that was not measured, resources, floors) are missing on the
// page too; a file that cannot be understood is an error. Cells are read
// concurrently. Write calls w.Write only after it has read everything.
func Write(w io.Writer, stores ...*results.Store) error {
	d, cells, charts, err := load(stores)
	if err != nil {
		return err
	}
	if err := writePage(w, d, cells, charts); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// load reads everything: the document, a blob for each of its cells, and one for each of its
// charts.
func load(stores []*results.Store) (d *document, cellBlobs, chartBlobs []string, err error) {
	d = &document{Runs: []run{}, Cells: []row{}, Brokers: []results.Broker{}, Shapes: []shape{}, Charts: []chart{}, Shades: palette.Shades}
	for i := range palette.Dashes {
		d.Dashes = append(d.Dashes, palette.Dash(i))
	}
	var cells []*results.Cell
	var sources []source.Source
	for _, store := range stores {
		r, err := store.Run()
		if err != nil {
			return nil, nil, nil, err
		}
		d.addRun(r, store.Dir())
		before := len(cells)
		for _, entry := range r.Cells {
			folder := store.Cell(entry.ID)
			c, err := measured(folder, &entry)
			if err != nil {
				return nil, nil, nil, err
			}
			d.addCell(len(d.Runs)-1, entry, c)
			cells, sources = append(cells, c), append(sources, source.Source{Path: folder.Dir(), Run: store.Dir(), Cell: c})
		}
		d.addAnswer(r, cells[before:])
		if err := d.addSearch(store); err != nil {
			return nil, nil, nil, err
		}
	}
	options := plot.Options{Targets: source.Targets(sources)}
	cellBlobs, err = pack(len(sources), func(i int) (string, error) {
		if sources[i].Cell == nil {
			return "", nil
		}
		return cellBlob(sources[i], options)
	})
	if err != nil {
		return nil, nil, nil, err
	}
	charts := d.drawings(sources, options)
	chartBlobs, err = pack(len(charts), func(i int) (string, error) { return charts[i].blob() })
	for i, blob := range chartBlobs {
		if blob != "" {
			d.Charts = append(d.Charts, charts[i])
		}
	}
	return d, cellBlobs, slices.DeleteFunc(chartBlobs, func(blob string) bool { return blob == "" }), err
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

// pack makes n blobs, as many at once as there are cores, since reading the logs takes the
// time.
func pack(n int, blobOf func(i int) (string, error)) ([]string, error) {
	blobs, errs := make([]string, n), make([]error, n)
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				blobs[i], errs[i] = blobOf(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	workers.Wait()
	return blobs, cmp.Or(errs...)
}
