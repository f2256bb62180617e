package plot_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/report/plot"
)

// The same input gives the same bytes, of the same chart and of another one.
func TestChartsAreDeterministic(t *testing.T) {
	all, common := curves(t, find(t, sample(t)))
	var first string
	for i := range 2 {
		c := must(t)(plot.Percentiles(all, common, plot.Options{}))
		for range 2 {
			var b bytes.Buffer
			if err := errors.Join(c.WriteSVG(&b), c.WritePNG(&b)); err != nil {
				t.Fatal(err)
			}
			if i == 0 && first == "" {
				first = b.String()
			}
			if b.String() != first {
				t.Fatalf("chart %d differs", i)
			}
		}
	}
}

// TestSVGIsWellFormed, and refers to nothing outside.
func TestSVGIsWellFormed(t *testing.T) {
	all, _ := curves(t, find(t, sample(t))[:1])
	all[0].Name = `<script>"a" & b</script>`
	d := xml.NewDecoder(strings.NewReader(svgOf(t, must(t)(plot.Percentiles(all, "<&>", plot.Options{})))))
	texts := ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "script" || token.Name.Local == "image" {
				t.Errorf("the chart has an element %s", token.Name.Local)
			}
		case xml.CharData:
			texts += string(token)
		}
	}
	if !strings.Contains(texts, all[0].Name) || !strings.Contains(texts, "<&>") {
		t.Error("texts were not escaped")
	}
}
