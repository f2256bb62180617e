package report_test

import (
	"testing"

	"github.com/brokerbench/brokerbench/internal/machine/doctor"
	"github.com/brokerbench/brokerbench/internal/report"
)

func TestDoctor(t *testing.T) {
	findings := []doctor.Finding{
		{Name: "clock source", State: doctor.Good, Value: "tsc"},
		{Name: "steal", State: doctor.Bad, Value: "2.5 % taken by the hypervisor", Remedy: "another host"},
		{Name: "governor", State: doctor.Unknown, Value: "the system does not tell"},
		{Name: "kernel", State: doctor.Note, Value: "Linux 6.18.44"},
	}
	wantGolden(t, "doctor", report.Doctor(findings))
	wantJSON(t, report.Doctor(findings), findings)
}
