package doctor

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/results"
)

// fine are the findings of a machine that can answer everything.
func fine() []Finding {
	list := []Finding{note("virtual machine", no), note("root", yes), note("kernel", "Linux 6.12"), note("disk", "300 µs for a write")}
	for _, name := range []string{"clock", usedTimer, "hiccups", "busy", "steal", "cores", "governor", "turbo", "throttling"} {
		list = append(list, good(name, "as it should be"))
	}
	return list
}

// with returns the findings with some replaced.
func with(replaced ...Finding) []Finding {
	list := fine()
	for _, r := range replaced {
		for i := range list {
			if list[i].Name == r.Name {
				list[i] = r
			}
		}
	}
	return list
}

func bad(name string) Finding { return judge(name, "too much", false, "less of it") }

// The answers of machines, each with the findings in which it differs from one that can answer everything.
func TestAnswers(t *testing.T) {
	var text strings.Builder
	for _, tt := range []struct {
		machine  string
		findings []Finding
		needs    Needs
	}{
		{"a good one", fine(), Needs{Rate: 1000}},
		{"without a rate", fine(), Needs{}},
		{"a virtual one", with(note("virtual machine", "yes QEMU")), Needs{Rate: 20_000}},
		{"perhaps a virtual one", with(note("virtual machine", "perhaps: QEMU")), Needs{Rate: 20_000}},
		{"not known to be virtual or not", with(unknown("virtual machine", "-")), Needs{Rate: 1000}},
		{"with unknown programs", with(unknown("busy", "-")), Needs{Rate: 1000}},
		{"with unknown steal", with(unknown("steal", "-")), Needs{Rate: 1000}},
		{"a busy one, with steal and hiccups", with(bad("busy"), bad("steal"), bad("hiccups")), Needs{Rate: 1000}},
		{"with a quota", with(bad("throttling")), Needs{Rate: 1000}},
		{"with a slow clock and timers", with(bad("clock"), bad(usedTimer)), Needs{Rate: 1000}},
		{"with turbo, and few cores", with(bad("turbo"), bad("cores")), Needs{Rate: 1000}},
		{"not root, data in memory", with(note("root", no), note("disk", inMemory+": 1 µs")), Needs{Rate: 1000}},
		{"no Linux, no disk", with(unknown("kernel", "-"), note("root", no), unknown("disk", "not measured: full")), Needs{Rate: 1000}},
		{"unknown", with(unknown("virtual machine", "-"), unknown("governor", "-"), unknown("turbo", "-"), unknown("busy", "-"), unknown("steal", "-")), Needs{Rate: 1000}},
	} {
		text.WriteString("--- " + tt.machine + "\n")
		for _, q := range answers(tt.findings, tt.needs) {
			text.WriteString(q.Name + ": " + string(q.Answer) + ": " + q.Why + "\n")
		}
	}
	golden.Check(t, "answers.txt", text.String())
}

// floorOf returns a disk whose writes take that long.
func floorOf(d time.Duration) results.DiskFloor {
	h := histogram.New()
	h.Record(d)
	sync := results.NewDistribution(h, 0)
	return results.DiskFloor{Sync: &sync}
}

func TestADiskThatIsNone(t *testing.T) {
	ext4, tmpfs, drive := "ext4", "tmpfs", "vda"
	for _, tt := range []struct {
		floor results.DiskFloor
		on    results.Storage
		want  string
	}{
		{floorOf(time.Microsecond), results.Storage{}, "no drive: 1µs for a write and its fdatasync at the median, 1µs at p99"},
		{floorOf(noDrive), results.Storage{FileSystem: &ext4, Drive: &drive}, "20µs for a write and its fdatasync at the median, 20µs at p99, ext4 on vda"},
		{floorOf(noDrive), results.Storage{FileSystem: &tmpfs}, "no drive: 20µs for a write and its fdatasync at the median, 20µs at p99, tmpfs"},
	} {
		if got := synced(tt.floor, tt.on); got != note("disk", tt.want) {
			t.Errorf("got %+v, want %s", got, tt.want)
		}
	}
	if got, want := synced(results.DiskFloor{Error: "full"}, results.Storage{}), unknown("disk", "not measured: full"); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestRoot(t *testing.T) {
	for uid, want := range map[int]string{0: yes, 1000: no, -1: no} {
		if got := root(uid); got != note("root", want) {
			t.Errorf("%d: %+v", uid, got)
		}
	}
}
