package html

import (
	"path/filepath"
	"reflect"
	"slices"
	"strconv"

	"github.com/brokerbench/brokerbench/internal/answer"
	"github.com/brokerbench/brokerbench/internal/report/palette"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A document is what the page reads when it opens: enough for the table, and for
// every chart that does not need histograms.
type document struct {
	Runs     []run            `json:"runs"`
	Brokers  []results.Broker `json:"brokers"` // each once; cells refer to them
	Cells    []row            `json:"cells"`
	Shapes   []shape          `json:"shapes"`             // what was measured, grouped
	Searches []found          `json:"searches,omitempty"` // of runs that are searches
	Pairs    *pairs           `json:"pairs,omitempty"`    // of two runs that ab measured in turn
	Charts   []chart          `json:"charts"`             // in the order of their blobs
	Shades   int              `json:"shades"`             // of each hue
	Dashes   [][]float64      `json:"dashes"`

	targets palette.Targets
}

// A run is a result set: run.json without its list of cells.
type run struct {
	results.Run

	Cells  any    `json:"cells,omitempty"` // hides the list of results.Run
	Folder string `json:"folder"`          // its name, without the path to it

	Belief answer.Belief `json:"belief"` // how many of its numbers can be used
	Causes []string      `json:"causes"` // why the others cannot, a line each
}

// A row is one cell of the table.
type row struct {
	Run   int    `json:"run"`             // in document.Runs
	ID    string `json:"id"`              // its folder
	Title string `json:"title"`           // its name for people
	Error string `json:"error,omitempty"` // why it was not measured

	plan.Shape
	numbers

	RateText string `json:"rate_text,omitempty"`    // of a section of a rate that changes: its rate and time
	Messages string `json:"message_text,omitempty"` // what they contain, and the backlog, for people; "": random bytes alone

	Target   string            `json:"target"`
	Hue      int               `json:"hue"` // of the target
	Repeat   int               `json:"repeat"`
	Broker   int               `json:"broker"`         // in document.Brokers; -1: none
	Lost     string            `json:"lost,omitempty"` // what was acknowledged and is not in the store
	Problems []results.Problem `json:"problems"`
	SLOs     []results.SLO     `json:"slos"`

	blob string // see detail.blob; "" if it was not measured
}

// Numbers are the results of a cell, or of the repeats of a series together.
type numbers struct {
	Verdict  results.Verdict     `json:"verdict"`       // of repeats the worst; "" of a cell that was not measured
	Reached  float64             `json:"reached"`       // of repeats the lowest
	Ledger   results.Ledger      `json:"ledger"`        // of repeats the sum
	Response map[string]quantile `json:"response"`      // by percentile, such as "99.9"; "100" is the maximum
	Service  map[string]quantile `json:"service"`       // p99 alone
	Ack      map[string]quantile `json:"ack,omitempty"` // absent if the target acknowledges nothing
	MaxNS    int64               `json:"max_ns"`        // of the replies, whatever is missing
}

// A quantile is a row of a distribution, for the table and the answer above it.
type quantile struct {
	NS      *int64 `json:"ns"`              // null: unknown
	Low     *int64 `json:"low,omitempty"`   // its 95 % interval; absent: there is none, or it is not shown
	High    *int64 `json:"high,omitempty"`  // absent beside a low: nothing bounds it from above
	Trusted bool   `json:"trusted"`         // it may be used
	Limit   string `json:"limit,omitempty"` // by what its use is limited, in words
}

func newDocument() *document {
	d := &document{Runs: []run{}, Cells: []row{}, Brokers: []results.Broker{}, Shapes: []shape{}, Charts: []chart{}, Shades: palette.Shades}
	for i := range palette.Dashes {
		d.Dashes = append(d.Dashes, palette.Dash(i))
	}
	return d
}

func (d *document) addRun(r results.Run, dir string) {
	folder := filepath.Base(dir)
	if absolute, err := filepath.Abs(dir); err == nil {
		folder = filepath.Base(absolute)
	}
	for _, t := range r.Plan.Targets {
		d.targets.Hue(t.Name)
	}
	r.Plan.Settings = r.Plan.Settings.WithoutTimes()
	d.Runs = append(d.Runs, run{Run: r, Folder: folder})
}

// addCell adds an entry of a run; c is nil if it was not measured.
func (d *document) addCell(run int, entry results.Entry, c *results.Cell) {
	r := row{Run: run, ID: entry.ID, Title: entry.ID, Error: entry.Error, Broker: -1}
	if c == nil {
		planned := d.Runs[run].Plan.Cells()
		if i := slices.IndexFunc(planned, func(p plan.Cell) bool { return p.ID() == entry.ID }); i >= 0 {
			r.Title = planned[i].String()
		}
		d.Cells = append(d.Cells, r)
		return
	}
	r.numbers = newNumbers([]*results.Cell{c}, c.Verdict, c.ReachedPerS, c.Ledger)
	for _, of := range []map[string]quantile{r.Response, r.Ack} {
		for p, q := range of {
			if p != "99" { // the page has no place for its interval
				q.Low, q.High = nil, nil
				of[p] = q
			}
		}
	}
	r.ID = c.ID
	r.Title, r.Shape, r.Repeat, r.Broker = c.Plan.String(), c.Plan.Shape, c.Plan.Repeat, d.broker(c.Broker)
	r.Messages = plan.Phrase([]string{"", "", r.MessageText(), r.StoreText()})
	if r.Section > 0 {
		r.RateText = r.Shape.RateText()
	}
	r.Target, r.Hue = c.Plan.Target.Name, d.targets.Hue(c.Plan.Target.Name)
	if a := c.Audit; a != nil && a.Error == "" && a.Missing > 0 {
		r.Lost = a.Loss()
	}
	r.Problems, r.SLOs = c.Problems, c.SLOs
	d.Cells = append(d.Cells, r)
}

// broker returns the number of a broker with its settings. Cells share most of
// them.
func (d *document) broker(b results.Broker) int {
	if i := slices.IndexFunc(d.Brokers, func(known results.Broker) bool { return reflect.DeepEqual(known, b) }); i >= 0 {
		return i
	}
	d.Brokers = append(d.Brokers, b)
	return len(d.Brokers) - 1
}

// newNumbers returns what the answer says of a cell, or of repeats.
func newNumbers(cells []*results.Cell, verdict results.Verdict, reached float64, ledger results.Ledger) numbers {
	n := numbers{Verdict: verdict, Reached: reached, Ledger: ledger}
	longest, _ := answer.Merged(cells, "response")
	n.MaxNS = longest.MaxNS
	n.Response = quantiles(cells, "response", 50, 90, 99, 99.9, 99.99, 100)
	n.Service, n.Ack = quantiles(cells, "service", 99), quantiles(cells, "ack", 50, 99)
	return n
}

// quantiles returns percentiles of a cell, or of repeats; nil if they do not have the series. A
// maximum above which messages are missing is unknown here: the page has MaxNS for it.
func quantiles(cells []*results.Cell, series string, percentiles ...float64) map[string]quantile {
	d, ok := answer.Merged(cells, series)
	if !ok {
		return nil
	}
	rows := make(map[string]quantile, len(percentiles))
	for _, p := range percentiles {
		if _, ok := d.At(p); !ok {
			continue
		}
		n := answer.NumberOf(d, p)
		q := quantile{NS: n.NS, Low: n.LowNS, High: n.HighNS, Trusted: n.Usable, Limit: n.Limit}
		if n.AtLeast {
			q.NS = nil
		}
		rows[strconv.FormatFloat(p, 'f', -1, 64)] = q
	}
	return rows
}
