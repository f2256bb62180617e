package cli

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/brokerbench/brokerbench/machine/doctor"
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
	var b bytes.Buffer
	err := writeFindings(&b, "table", []doctor.Finding{
		{Name: "clock source", State: doctor.Good, Value: "tsc"},
		{Name: "steal", State: doctor.Bad, Value: "2.5 % taken by the hypervisor", Remedy: "another host"},
		{Name: "governor", State: doctor.Unknown, Value: "the system does not tell"},
	})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "doctor.txt", b.String())
}
