package doctor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/results"
)

// An Answer says how well a machine can answer a question.
type Answer string

// The answers.
const (
	Answered Answer = "yes"
	Ratios   Answer = "ratios only" // of numbers that were measured beside each other; the numbers themselves say little
	Not      Answer = "no"
)

// A Question is one that studies ask.
type Question struct {
	Name   string   `json:"question"`
	Answer Answer   `json:"answer"`
	Why    string   `json:"why"`
	Checks []string `json:"checks"` // the names of the findings that decide
}

// A doubt is a finding that speaks against a full answer.
type doubt struct {
	check   string
	against func(Finding) bool
	answer  Answer
	why     string
}

func isBad(f Finding) bool     { return f.State == Bad }
func isUnknown(f Finding) bool { return f.State == Unknown }

// begins returns what holds for findings whose values begin so.
func begins(value string) func(Finding) bool {
	return func(f Finding) bool { return strings.HasPrefix(f.Value, value) }
}

func isNotLinux(f Finding) bool { return !begins("Linux ")(f) }

// mayBe holds unless a finding says no.
func mayBe(f Finding) bool { return isUnknown(f) || !begins(no)(f) }

// asked are the questions.
func asked(needs Needs) []question { return append(ofSpeed(tailWindow(needs)), ofOther()...) }

// A question has doubts. The first one that holds decides; without one it is answered.
type question struct {
	name   string
	doubts []doubt
	why    string // it is answered
}

// ofSpeed are the questions of speed.
func ofSpeed(longTail string) []question {
	return []question{
		{"absolute latencies below 100 µs", []doubt{
			{"clock", isBad, Not, "the clock is too slow or too coarse"},
			{usedTimer, isBad, Not, "timers are too late"},
			{"hiccups", isBad, Not, "this process does not get its core in time"},
			{"busy", isBad, Not, "other programs take cores"},
			{"steal", isBad, Not, "the hypervisor takes cores"},
			{"cores", isBad, Ratios, "too few cores for client and broker"},
			{"busy", isUnknown, Ratios, "whether other programs take cores is unknown"},
			{"steal", isUnknown, Ratios, "whether a hypervisor takes cores is unknown"},
			{virtualMachine, mayBe, Ratios, "the machine is or may be virtual: its host decides when a core runs"},
			{"governor", isBad, Ratios, "the frequency of the cores changes"},
			{"turbo", isBad, Ratios, "the frequency of the cores changes"},
		}, "clock, timers and cores are good"},
		{"ratios between brokers", []doubt{
			{"clock", isBad, Not, "the clock is too slow or too coarse"},
			{"throttling", isBad, Not, "a CPU quota stops some cells and not others"},
			{"steal", isBad, Not, "the hypervisor takes cores from some cells and not from others"},
			{"busy", isBad, Not, "other programs take cores from some cells and not from others"},
		}, "with five repeats or more, which are interleaved"},
		{"ranking of brokers", []doubt{
			{"throttling", isBad, Not, "a CPU quota stops some cells and not others"},
		}, "with five repeats or more: those that differ by chance stay unranked"},
		{"tails at p99.99", []doubt{
			{"hiccups", isBad, Not, "hiccups of this machine are longer than the tail"},
			{"throttling", isBad, Not, "a CPU quota makes the tail"},
			{"steal", isBad, Not, "the hypervisor makes the tail"},
			{"busy", isBad, Not, "other programs make the tail"},
			{"busy", isUnknown, Ratios, longTail + "; whether other programs take cores is unknown"},
			{"steal", isUnknown, Ratios, longTail + "; whether a hypervisor takes cores is unknown"},
			{virtualMachine, mayBe, Ratios, longTail + "; the machine is or may be virtual: its host is in each tail"},
		}, longTail},
	}
}

// ofOther are the other questions.
func ofOther() []question {
	return []question{
		{"losses and behaviour under faults", []doubt{
			{"root", begins(no), Answered, "counts need no fast machine; without root networks break by relay"},
		}, "counts need no fast machine"},
		{"losses in a power cut", []doubt{
			{"kernel", isNotLinux, Not, "only on Linux can the power of a file system be cut"},
			{"root", begins(no), Not, "only root can cut the power of a file system"},
		}, "with ext4 or xfs of the node alone, as local:NAME,data=SIZE makes it"},
		{"effect of a kernel", []doubt{
			{"root", begins(no), Not, "only root can boot another one"},
			{virtualMachine, mayBe, Ratios, "the machine is or may be virtual: the kernel of its host stays below"},
		}, "boot both in turn"},
		{"disk at durability machine", []doubt{
			{"disk", begins(inMemory), Not, fmt.Sprintf("a tmpfs, or an fdatasync of less than %v, reaches no drive", noDrive)},
			{"disk", isUnknown, Not, "the disk was not measured"},
			{virtualMachine, mayBe, Ratios, "the machine is or may be virtual: a cache of its host may answer for the drive"},
		}, "an fdatasync takes as long as a drive's"},
	}
}

// tailWindow says how long a cell must be for p99.99.
func tailWindow(needs Needs) string {
	if needs.Rate <= 0 {
		return fmt.Sprintf("in windows of %.0f messages or more", results.Needed(99.99))
	}
	return fmt.Sprintf("in windows of %v or more at %s/s", results.NeededWindow(99.99, needs.Rate), strconv.FormatFloat(needs.Rate, 'f', -1, 64))
}

// answers answers all questions by findings.
func answers(findings []Finding, needs Needs) (list []Question) {
	for _, q := range asked(needs) {
		list = append(list, q.answer(findings))
	}
	return list
}

// answer answers the question by findings. One that is not there is no doubt.
func (q question) answer(findings []Finding) Question {
	a, decided := Question{Name: q.name, Answer: Answered, Why: q.why}, false
	for _, d := range q.doubts {
		i := slices.IndexFunc(findings, func(f Finding) bool { return f.Name == d.check })
		if i < 0 {
			continue
		}
		if !slices.Contains(a.Checks, d.check) {
			a.Checks = append(a.Checks, d.check)
		}
		if !decided && d.against(findings[i]) {
			a.Answer, a.Why, decided = d.answer, d.why, true
		}
	}
	return a
}
