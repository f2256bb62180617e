package cli

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/brokerbench/brokerbench/internal/golden"
	"github.com/brokerbench/brokerbench/machine/doctor"
	"github.com/brokerbench/brokerbench/plan"
)

func TestDoctor(t *testing.T) {
	code, stdout, stderr := command("doctor", "--connections", "1,3", "-o", "json")
	wantCode(t, code, exitGood, stderr)
	var findings []doctor.Finding
	if err := json.Unmarshal([]byte(stdout), &findings); err != nil || len(findings) < 10 {
		t.Errorf("%d findings, %v", len(findings), err)
	}
	// More connections than any limit of open files allows.
	code, _, stderr = command("doctor", "--connections", "1000000", "--strict")
	wantCode(t, code, exitError, stderr, "something is bad")
}

func TestFindings(t *testing.T) {
	findings := []doctor.Finding{
		{Name: "clock source", State: doctor.Good, Value: "tsc"},
		{Name: "steal", State: doctor.Bad, Value: "2.5 % taken by the hypervisor", Remedy: "another host"},
		{Name: "governor", State: doctor.Unknown, Value: "the system does not tell"},
		{Name: "kernel", State: doctor.Note, Value: "Linux 6.18.44"},
	}
	for format, file := range map[string]string{"table": "doctor.txt", "md": "doctor.md", "csv": "doctor.csv"} {
		var b bytes.Buffer
		if err := writeFindings(&b, format, findings); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, file, b.String())
	}
}

// Cells run one after the other: the most of each, not the sum.
func TestNeeds(t *testing.T) {
	p := plan.Plan{
		Targets: []plan.Target{{URL: "nats://h"}, {URL: "kafka://h1:9092,h2:9092"}},
		Shapes:  []plan.Shape{{Connections: 25, Size: 1024}, {Connections: 1, Size: 1 << 20}},
	}
	parsed := make(targets)
	for _, target := range p.Targets {
		if _, err := parsed.parse(target.URL); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := needs(p, parsed), (doctor.Needs{Connections: 25, Size: 1 << 20, Sockets: 4}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	p.Targets = p.Targets[:1]
	if got := needs(p, parsed).Sockets; got != 0 {
		t.Errorf("NATS: %d sockets a connection, want the default", got)
	}
}
