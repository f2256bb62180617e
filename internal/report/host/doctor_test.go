package host_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/internal/machine/doctor"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/host"
)

func TestDoctor(t *testing.T) {
	e := doctor.Examination{
		Findings: []doctor.Finding{
			{Name: "clock source", State: doctor.Good, Value: "tsc"},
			{Name: "steal", State: doctor.Bad, Value: "2.5 % taken by the hypervisor", Remedy: "another host"},
			{Name: "governor", State: doctor.Unknown, Value: "the system does not tell"},
			{Name: "kernel", State: doctor.Note, Value: "Linux 6.18.44"},
		},
		Questions: []doctor.Question{
			{Name: "ratios between brokers", Answer: doctor.Not, Why: "the hypervisor takes cores", Checks: []string{"clock", "steal"}},
			{Name: "tails at p99.99", Answer: doctor.Ratios, Why: "the host is in each tail", Checks: []string{"virtual machine"}},
			{Name: "losses and behaviour under faults", Answer: doctor.Answered, Why: "counts need no fast machine", Checks: []string{"root"}},
		},
	}
	d := host.Doctor(e)
	for format, ending := range map[document.Format]string{document.Text: ".txt", document.Markdown: ".md", document.CSV: ".csv"} {
		golden.Check(t, "doctor"+ending, written(t, d, format))
	}
	var got doctor.Examination
	if err := json.Unmarshal([]byte(written(t, d, document.JSON)), &got); err != nil || !reflect.DeepEqual(got, e) {
		t.Errorf("%v: got %+v, want %+v", err, got, e)
	}
}

func written(t *testing.T, d *document.Document, format document.Format) string {
	t.Helper()
	var b strings.Builder
	if err := d.Write(&b, format); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
