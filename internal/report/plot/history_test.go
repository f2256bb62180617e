package plot_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/compare/history"
	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/internal/report/plot"
)

func TestHistory(t *testing.T) {
	text, err := os.ReadFile("../../compare/history/testdata/history.json")
	if err != nil {
		t.Fatal(err)
	}
	h := new(history.History)
	if err := json.Unmarshal(text, h); err != nil {
		t.Fatal(err)
	}
	for _, axis := range []plot.Axis{plot.Auto, plot.Log, plot.Linear} {
		chart, err := plot.History(h, plot.Options{Axis: axis})
		if err != nil {
			t.Fatal(err)
		}
		var svg, png bytes.Buffer
		if err := errors.Join(chart.WriteSVG(&svg), chart.WritePNG(&png)); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{">Response time over many runs<", ">nats, 1 KiB at 1,000/s<", ">kafka, 1 KiB at 1,000/s<", ">p99.9<", "a change, with the medians"} {
			if !strings.Contains(svg.String(), want) {
				t.Errorf("no %s", want)
			}
		}
		if !bytes.HasPrefix(png.Bytes(), []byte("\x89PNG")) {
			t.Error("no PNG")
		}
	}
	for len(h.Cells) < 25 {
		h.Cells = append(h.Cells, h.Cells[0])
	}
	if _, err := plot.History(h, plot.Options{}); !errors.Is(err, input.ErrInput) {
		t.Errorf("25 cells: %v", err)
	}
}
