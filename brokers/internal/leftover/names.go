package leftover

import (
	"regexp"
	"strings"
	"time"
)

// ours matches the names that target.Name gives, with the cell's run as its group.
// The objects of an audit end in [Audit], and those that an echo sends to end in .back.
var ours = regexp.MustCompile(`^brokerbench\.([a-zA-Z0-9_-]{1,200})\.[0-9]+(?:\.(?:audit|back))?$`)

// Audit is at the end of the names of what only an audit reads.
const Audit = ".audit"

// named matches the names that runs have: those of package measure, with the number
// of a cell behind them or without, and those of verify, which once ended in a pid.
var named = regexp.MustCompile(`^((?:verify-)?([0-9]{8}t[0-9]{6})-[0-9a-f]{8}|verify-[0-9]+)(?:-([0-9]+))?$`)

// Run returns the run and cell that a name belongs to, such as
// 20261122t015809-907ea3f6-0; "" if it is not one of brokerbench's names.
func Run(name string) string {
	if match := ours.FindStringSubmatch(name); match != nil {
		return match[1]
	}
	return ""
}

// Split splits the name of a run and cell; cell is "" if it is a run's. ok is false
// if brokerbench gives no such name.
func Split(name string) (run, cell string, ok bool) {
	match := named.FindStringSubmatch(name)
	if match == nil {
		return "", "", false
	}
	if _, err := time.Parse(begins, match[2]); match[2] != "" && err != nil {
		return "", "", false
	}
	return match[1], match[3], true
}

// begins is how the names of runs begin.
const begins = "20060102t150405"

// began returns when a run began, which its name says; zero if it does not.
func began(run string) time.Time {
	run = strings.TrimPrefix(run, "verify-")
	at, err := time.Parse(begins, run[:min(len(run), len(begins))])
	if err != nil {
		return time.Time{}
	}
	return at
}
