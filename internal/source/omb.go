package source

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
)

// mostOMB limits the size of a result of the OpenMessaging Benchmark, in bytes.
const mostOMB = 16 << 20

// isObject reports whether a text begins like a JSON object.
func isObject(text *bufio.Reader) bool {
	begin, _ := text.Peek(1)
	return string(begin) == "{"
}

// readOMB reads the end-to-end latencies of a result of the OpenMessaging Benchmark, in milliseconds:
// from when each message was sent until a consumer had it.
func readOMB(r io.Reader, path string) (Source, error) {
	text, err := safefile.ReadAll(r, path, mostOMB)
	if err != nil {
		return Source{}, unreadable(path, err)
	}
	var result struct {
		Quantiles map[string]float64 `json:"aggregatedEndToEndLatencyQuantiles"`
		Mean      float64            `json:"aggregatedEndToEndLatencyAvg"`
		Max       float64            `json:"aggregatedEndToEndLatencyMax"`
	}
	if err := json.Unmarshal(text, &result); err != nil {
		return Source{}, fmt.Errorf("%s: it begins like a result of the OpenMessaging Benchmark: %w %s", path, err, remedy)
	}
	if result.Quantiles == nil {
		return Source{}, fmt.Errorf("%s: it is JSON without aggregatedEndToEndLatencyQuantiles, and so no result of the OpenMessaging Benchmark %s", path, remedy)
	}
	table, err := tableOf(result.Quantiles)
	if err != nil {
		return Source{}, fmt.Errorf("%s: aggregatedEndToEndLatencyQuantiles: %w %s", path, err, remedy)
	}
	table.Mean, table.Max, table.Complete = result.Mean, max(result.Max, table.Max), true
	return Source{Path: path, Table: table, Unit: time.Millisecond, Counts: "sent"}, nil
}

// tableOf returns the table of quantiles. The file does not have the number of messages: Count is the
// least that can have the highest quantile below 100 %.
func tableOf(quantiles map[string]float64) (*histogram.Percentiles, error) {
	t := new(histogram.Percentiles)
	for name, value := range quantiles {
		p, err := strconv.ParseFloat(name, 64)
		if err != nil || !(p >= 0 && p <= 100) || !(value >= 0) {
			return nil, fmt.Errorf("%q: %v: want percentages with times", name, value)
		}
		t.Max = max(t.Max, value)
		t.Rows = append(t.Rows, histogram.PercentileRow{Value: value, Percentile: p})
	}
	slices.SortFunc(t.Rows, func(a, b histogram.PercentileRow) int { return cmp.Compare(a.Percentile, b.Percentile) })
	falls := func(a, b histogram.PercentileRow) int { return cmp.Compare(a.Value, b.Value) }
	if !slices.IsSortedFunc(t.Rows, falls) {
		return nil, errors.New("a higher percentage has a lower time")
	}
	if len(t.Rows) > 0 {
		t.Count = 1
	}
	for i, row := range t.Rows {
		if row.Percentile < 100 {
			t.Count = int64(min(math.Floor(100/(100-row.Percentile)), 1e15)) + 1
		}
		t.Rows[i].Count = t.Count
	}
	return t, nil
}
