package leftover

import (
	"fmt"

	"github.com/brokerbench/brokerbench/requester"
)

// How far [Ask] looks: connections and cells may be missing in between.
const (
	missingConnections = 64
	missingCells       = 8
)

// A Names says what connection conn of a run, or of one of its cells, may have made.
type Names func(run string, conn int) []string

// An Inspect asks for one thing, and returns why it is in use; "" if it is not.
type Inspect func(name string) (busy string, there bool, err error)

// Ask asks a broker that cannot list for the things of a run, or of one of its cells, by
// their names. It returns in words which it asked for.
func Ask(of, kind string, names Names, inspect Inspect) (things []requester.Leftover, asked string, err error) {
	a := asking{kind, names, inspect}
	if run, cell, _ := Split(of); cell == "" {
		return a.cells(run)
	}
	things, last, err := a.connections(of)
	return things, fmt.Sprintf("connections 0 to %d of cell %s", last, of), err
}

type asking struct {
	kind    string
	names   Names
	inspect Inspect
}

// cells asks for the things of a run: of those that have no cells, as verify's have
// none, and of each cell until many are missing.
func (a asking) cells(run string) (things []requester.Leftover, asked string, err error) {
	things, last, err := a.connections(run)
	cell := 0
	for missing := 0; err == nil && missing < missingCells; cell++ {
		var found []requester.Leftover
		var to int
		found, to, err = a.connections(fmt.Sprintf("%s-%d", run, cell))
		if missing++; len(found) > 0 {
			missing = 0
		}
		things, last = append(things, found...), min(last, to)
	}
	return things, fmt.Sprintf("cells 0 to %d, and of each for connections 0 to %d at least", cell-1, last), err
}

// connections asks for the things of the connections of a cell until many are missing. It
// returns the last that it asked for.
func (a asking) connections(run string) (things []requester.Leftover, last int, err error) {
	number := 0
	for missing := 0; missing < missingConnections; number++ {
		missing++
		for _, name := range a.names(run, number) {
			state, there, err := a.inspect(name)
			if err != nil {
				return nil, 0, err
			}
			if there {
				missing = 0
				things = append(things, requester.Leftover{Kind: a.kind, Name: name, Busy: state})
			}
		}
	}
	return things, number - 1, nil
}
