package target

import (
	"net/url"
	"testing"

	"github.com/brokerbench/brokerbench/requester"
)

func TestRetention(t *testing.T) {
	for text, want := range map[string]int64{"": 0, "0": 0, "8MiB": 8 << 20, "1GiB": 1 << 30, "1.5GiB": 3 << 29, "1000MB": 1e9} {
		var r Retention
		o := NewOptions("kafka", func(o Options) { r.Define(o, "in segments") })
		query := url.Values{}
		if text != "" {
			query.Set("retention", text)
		}
		if err := o.Apply(query); err != nil || r.Bytes() != want || r.Check(true, "") != nil {
			t.Errorf("%q: %d, %v", text, r.Bytes(), err)
		}
		if want > 0 && (r.Check(false, "stream=file") == nil || r.Keeps() == nil || r.Limits()[0].Level != requester.None || r.Share(4) != want/4) {
			t.Errorf("%q: %v", text, &r)
		}
		again := new(Retention)
		if err := again.Set(r.String()); err != nil || again.Bytes() != want {
			t.Errorf("%q is written as %v: %v", text, &r, err)
		}
	}
	for _, text := range []string{"1G", "10m", "1,000MiB", "many", "5", "-1B"} {
		if err := new(Retention).Set(text); err == nil {
			t.Errorf("%q is no error", text)
		}
	}
	var small Retention
	if err := small.Set("1KiB"); err != nil || small.Check(true, "") == nil {
		t.Error(err)
	}
	if Segment(4<<20) != 1<<20 || Segment(1<<30) != 128<<20 {
		t.Error("segments are an eighth, and 1 MiB at least")
	}
}
