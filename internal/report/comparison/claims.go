package comparison

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/claims"
	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/report/document"
)

// A Reproduction is the outcome of the claims of a bundle, as JSON.
type Reproduction struct {
	Schema      string               `json:"schema"` // ReproductionSchema
	Bundle      string               `json:"bundle"`
	Checksum    string               `json:"checksum,omitempty"`    // SHA-256 of its checksums; absent: it has none
	Confidence  float64              `json:"confidence"`            // that no claim is answered wrongly
	Versions    []compare.Difference `json:"versions,omitempty"`    // of brokers and clients
	Differences []compare.Difference `json:"differences,omitempty"` // of the machine and settings
	Claims      []claims.Judged      `json:"claims"`
}

// ReproductionSchema is that of a Reproduction in JSON.
const ReproductionSchema = "brokerbench/reproduction/1"

// Claims shows which claims of a bundle are reproduced. The versions that differ are first.
func Claims(r *Reproduction, differences []compare.Difference) *document.Document {
	for _, difference := range differences {
		if slices.Contains([]string{"broker", "version", "client"}, difference.Name) {
			r.Versions = append(r.Versions, difference)
		} else {
			r.Differences = append(r.Differences, difference)
		}
	}
	var d document.Document
	if r.Checksum != "" {
		d.Note("every file is as SHA256SUMS says, whose own SHA-256 is " + r.Checksum)
	}
	for _, v := range r.Versions {
		d.Say("another version: " + v.String())
	}
	var open []string
	for _, j := range r.Claims {
		d.Say(fmt.Sprintf("%s: claim %s: %s", j.Outcome, j.ID, j.Sentence))
		d.Note("  " + j.Why())
		if j.Outcome == claims.NotDecided {
			open = append(open, j.ID)
		}
	}
	for _, difference := range r.Differences {
		d.Note("differs: " + difference.String())
	}
	d.Note(fmt.Sprintf("Repeats are pairs; the interval of a ratio is Student's, of the mean logarithm. All statements are judged together: with %g %% confidence no claim is answered wrongly. Losses are counted.", 100*r.Confidence))
	if len(open) > 0 {
		d.Command("To decide the rest: ", decide(r, open))
	}
	d.Exact(document.Records(r.Claims, "claim=ID outcome=Outcome sentence=Sentence reason=Reason repeats_to_decide=Decides"), r)
	return &d
}

// decide returns the command that measures the open claims with more repeats.
func decide(r *Reproduction, open []string) []string {
	args, repeats := []string{"brokerbench", "reproduce", r.Bundle, "--claims", strings.Join(open, ",")}, 0
	for _, j := range r.Claims {
		repeats = max(repeats, j.Decides)
	}
	if repeats > 0 {
		args = append(args, "--repeat", fmt.Sprint(repeats))
	}
	return args
}
