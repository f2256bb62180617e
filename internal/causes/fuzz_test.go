package causes

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
)

// Whatever a file holds, it is judged or not decided.
func FuzzJudge(f *testing.F) {
	w := world{rand.New(rand.NewPCG(1, 1)), 300, 1}
	s := w.cell(w.times(12))
	w.series(s, cause.Stopped, "n1", cause.Time, w.times(12), 0)
	w.series(s, cause.Log, "n1", cause.Count, w.times(12), 0)
	text, err := json.Marshal(s)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"to_ns":9000,"ends_ns":[0,1,2],"worst":[{"due_ns":1,"response_ns":9223372036854775807}],"series":[{"gaps":[-5],"value":[1]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var s cause.Samples
		if json.Unmarshal(text, &s) != nil || len(s.EndsNS) > 2000 || len(s.Worst) > 2000 || len(s.Series) > 40 {
			return
		}
		r := Judge(&s)
		if r.Pauses < 0 || r.Pauses > mostPauses || (r.Verdict == cause.Found) != (len(r.Causes) > 0) {
			t.Errorf("got %+v", r)
		}
	})
}
