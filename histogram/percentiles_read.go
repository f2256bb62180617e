package histogram

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// ReadPercentiles reads the first percentile table of a text: a .hgrm file of
// ours, of HdrHistogram's ports, of HistogramLogProcessor or of tylertreat/bench,
// or the output of wrk2. Text around the table is ignored; the table itself must
// have no mistake. Values are in the unit of the file, which the file does not
// name.
func ReadPercentiles(r io.Reader) (Percentiles, error) {
	var t table
	lines, n := bufio.NewScanner(r), 0
	lines.Buffer(nil, longestLine)
	for !t.ended && lines.Scan() {
		n++
		if err := t.line(strings.TrimSpace(lines.Text())); err != nil {
			return Percentiles{}, fmt.Errorf("reading percentiles: line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return Percentiles{}, fmt.Errorf("reading percentiles: line %d: %w", n+1, err)
	}
	if err := t.end(); err != nil {
		return Percentiles{}, fmt.Errorf("reading percentiles: %w", err)
	}
	return t.Percentiles, nil
}

const (
	// longestLine is the longest line of text around and in a percentile table.
	longestLine = 1 << 20
	// mostRows is the longest percentile table: the finest that HdrHistogram's tools
	// print has some thousands of rows.
	mostRows = 1 << 20
)

// A table is a percentile table that is being read.
type table struct {
	Percentiles
	begun, summary, ended bool
}

// header is the line that a table begins with, however its columns are spaced.
const header = "Value Percentile TotalCount 1/(1-Percentile)"

func (t *table) line(text string) error {
	switch {
	case !t.begun:
		t.begun = strings.Join(strings.Fields(text), " ") == header
		return nil
	case text == "":
		return nil
	case strings.HasPrefix(text, "#["):
		return t.sum(text)
	case t.summary:
		return fmt.Errorf("%.40q between the lines of the summary", text)
	}
	return t.row(text)
}

// row reads a row. The row of 100 % is the last, whatever follows: tylertreat/bench
// writes no summary, and over a longer file it leaves the old end in place.
func (t *table) row(text string) error {
	row, err := parseRow(strings.Fields(text))
	n := len(t.Rows)
	if err == nil && n > 0 && !t.Rows[n-1].before(row) {
		err = fmt.Errorf("%.60q does not ascend", text)
	}
	switch {
	case err == nil && n == mostRows:
		return fmt.Errorf("a table of more than %d rows is not read", mostRows)
	case err == nil:
		t.Rows = append(t.Rows, row)
	case n > 0 && t.Rows[n-1].Percentile == 100:
		t.ended = true
		return nil
	}
	return err
}

// before reports whether next may follow r.
func (r PercentileRow) before(next PercentileRow) bool {
	return r.Value <= next.Value && r.Percentile <= next.Percentile && r.Count <= next.Count
}

// parseRow reads a row of three columns, or of four, where the last follows from the
// second.
func parseRow(columns []string) (row PercentileRow, err error) {
	if len(columns) < 3 || len(columns) > 4 {
		return row, fmt.Errorf("a row has 3 or 4 columns, not %d", len(columns))
	}
	value, err1 := number(columns[0])
	share, err2 := number(columns[1])
	values, err3 := count(columns[2])
	if err := errors.Join(err1, err2, err3); err != nil {
		return row, err
	}
	switch {
	case share > 1:
		return row, fmt.Errorf("percentile %s is above 1", columns[1])
	case len(columns) == 4:
		// In the last row it is absent, inf, Infinity or 10000000, depending on the port.
		if _, err := strconv.ParseFloat(columns[3], 64); err != nil {
			return row, fmt.Errorf("%.40q is not a number", columns[3])
		}
	}
	return PercentileRow{Value: value, Percentile: share * 100, Count: values}, nil
}

// number reads a number that is neither negative nor infinite.
func number(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%.40q is not a number from 0", text)
	}
	return v, nil
}

// count reads a number of values.
func count(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%.40q is not a count", text)
	}
	return n, nil
}

// sum reads a line of the summary, such as "#[Max = 12.496, Total count = 39500]".
func (t *table) sum(text string) error {
	t.summary = true
	inner, ok := strings.CutSuffix(strings.TrimPrefix(text, "#["), "]")
	if !ok {
		return fmt.Errorf("%.60q does not end with ]", text)
	}
	for part := range strings.SplitSeq(inner, ",") {
		name, value, _ := strings.Cut(part, "=")
		if err := t.set(strings.TrimSpace(name), strings.TrimSpace(value)); err != nil {
			return err
		}
	}
	return nil
}

func (t *table) set(name, value string) (err error) {
	switch name {
	case "Mean":
		t.Mean, err = number(value)
	case "StdDeviation":
		t.StdDev, err = number(value)
	case "Max":
		t.Max, err = number(value)
	case "Total count":
		t.Count, err = count(value)
	case "TotalCount": // Python's, with decimals
		whole, _, _ := strings.Cut(value, ".")
		t.Count, err = count(whole)
	case "Buckets":
		t.Buckets, err = strconv.Atoi(value)
	case "SubBuckets": // the last
		t.ended, t.Complete = true, true
		t.SubBuckets, err = strconv.Atoi(value)
	default:
		err = fmt.Errorf("a summary has no %.40q", name)
	}
	return err
}

// end checks what only the whole table shows.
func (t *table) end() error {
	n := len(t.Rows)
	switch {
	case !t.begun:
		return fmt.Errorf("no percentile table: there is no line %q", header)
	case t.summary && !t.Complete:
		return errors.New("the summary is cut")
	case t.Complete && n > 0 && t.Rows[n-1].Count != t.Count:
		return fmt.Errorf("the last row counts %d values, the summary %d", t.Rows[n-1].Count, t.Count)
	case !t.Complete && n == 0:
		return errors.New("the table is empty")
	case !t.Complete:
		t.Max, t.Count = t.Rows[n-1].Value, t.Rows[n-1].Count
	}
	return nil
}
