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

	"github.com/brokerbench/brokerbench/report/palette"
	"github.com/brokerbench/brokerbench/results"
)

// Write writes the report of one result set, or of several side by side. What a
// set lacks (a cell that was not measured, resources, floors) is missing on the
// page too; a file that cannot be understood is an error. Cells are read
// concurrently. Write calls w.Write only after it has read everything.
func Write(w io.Writer, stores ...*results.Store) error {
	d, details, err := load(stores)
	if err != nil {
		return err
	}
	if err := writePage(w, d, details); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// load reads everything: the document, and a blob for each of its cells.
func load(stores []*results.Store) (*document, []string, error) {
	d := &document{Runs: []run{}, Cells: []row{}, Brokers: []results.Broker{}, Shapes: []shape{}, Hues: palette.Hues, Shades: palette.Shades}
	for i := range palette.Dashes {
		d.Dashes = append(d.Dashes, palette.Dash(i))
	}
	var cells []*results.Cell
	var folders []*results.CellFolder
	for _, store := range stores {
		r, err := store.Run()
		if err != nil {
			return nil, nil, err
		}
		d.addRun(r, store.Dir())
		before := len(cells)
		for _, entry := range r.Cells {
			folder := store.Cell(entry.ID)
			c, err := measured(folder, &entry)
			if err != nil {
				return nil, nil, err
			}
			d.addCell(len(d.Runs)-1, entry, c)
			cells, folders = append(cells, c), append(folders, folder)
		}
		d.addAnswer(r, cells[before:])
		if err := d.addSearch(store); err != nil {
			return nil, nil, err
		}
	}
	blobs, err := pack(cells, folders)
	return d, blobs, err
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

// pack makes the blobs of the cells, as many at once as there are cores, since
// reading the logs takes the time. The blob of a cell that was not measured is "".
func pack(cells []*results.Cell, folders []*results.CellFolder) ([]string, error) {
	blobs, errs := make([]string, len(cells)), make([]error, len(cells))
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				d, err := newDetail(cells[i], folders[i])
				if err == nil {
					blobs[i], err = d.blob()
				}
				errs[i] = err
			}
		})
	}
	for i, c := range cells {
		if c != nil {
			next <- i
		}
	}
	close(next)
	workers.Wait()
	return blobs, cmp.Or(errs...)
}
