package comparison

import (
	"cmp"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
)

// A Foreign is a row of a table with results of brokerbench and of other tools.
type Foreign struct {
	Name   string  `json:"name"`   // of the cell or of the file
	Counts string  `json:"counts"` // the moment from which its times count; "" if the file does not say it
	Values []Value `json:"values"` // for each of [BesidePercentiles]
}

// A Value is a percentile of a Foreign.
type Value struct {
	Percentile float64 `json:"percentile"`
	NS         *int64  `json:"ns"` // null: unknown
	Usable     bool    `json:"usable"`
	AtLeast    bool    `json:"at_least,omitempty"` // for a maximum: missing messages rank above it
}

// BesidePercentiles are those that most tools report, and the maximum.
func BesidePercentiles() []float64 { return []float64{50, 90, 99, 99.9, 99.99, 100} }

// Beside shows results of brokerbench beside those of other tools, without an answer. As JSON
// it is {"beside": […]}.
func Beside(list []Foreign) *document.Document {
	var d document.Document
	t := document.Table{Head: []string{"", "from"}, Align: "llr"}
	exact := document.Table{Head: []string{"name", "counts_from"}}
	for _, p := range BesidePercentiles() {
		t.Head, exact.Head = append(t.Head, words.Percentile(p)), append(exact.Head, words.Percentile(p)+"_ns")
	}
	for _, f := range list {
		row, numbers := []string{f.Name, cmp.Or(f.Counts, "?")}, []string{f.Name, f.Counts}
		for _, v := range f.Values {
			row, numbers = append(row, v.text()), append(numbers, v.exact())
		}
		t.Rows, exact.Rows = append(t.Rows, row), append(exact.Rows, numbers)
	}
	d.Say("Response times in ms.")
	d.Show(t)
	d.Note("files of other tools have no repeats with histograms, so nothing is judged: compare rows that count from the same moment")
	d.Exact(exact, struct {
		Beside []Foreign `json:"beside"`
	}{list})
	return &d
}

func (v Value) text() string {
	if v.AtLeast && v.NS != nil {
		return format.AtLeast + format.Millis(v.NS)
	}
	return format.Marked(v.NS, v.Usable)
}

func (v Value) exact() string {
	if v.NS == nil {
		return ""
	}
	return format.Number(float64(*v.NS))
}
