package machine

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/brokerbench/brokerbench/results"
)

// below returns a system whose files are those, by their paths.
func below(t *testing.T, files map[string]string) System {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return ReadSystem(root)
}

func TestWhatASystemDoesNotTellIsNull(t *testing.T) {
	var got results.Environment
	below(t, nil).writing(&got)
	if !reflect.DeepEqual(got, results.Environment{}) {
		t.Errorf("got %+v, want nothing", got)
	}
	below(t, map[string]string{"proc/sys/vm/dirty_ratio": "\n", "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": ""}).writing(&got)
	if !reflect.DeepEqual(got, results.Environment{}) {
		t.Errorf("empty files: got %+v, want nothing", got)
	}
}

func TestWritingIsDescribed(t *testing.T) {
	const cpus = "sys/devices/system/cpu/"
	var got results.Environment
	below(t, map[string]string{
		"proc/meminfo":                                "MemTotal: 4 kB\nCached: 3 kB\n",
		"proc/sys/vm/dirty_ratio":                     "20\n",
		"proc/sys/vm/dirty_background_ratio":          "10\n",
		"proc/sys/vm/dirty_bytes":                     "0\n",
		"proc/sys/vm/dirty_background_bytes":          "1048576\n",
		cpus + "cpu0/cpufreq/scaling_governor":        "performance\n",
		cpus + "cpu1/cpufreq/scaling_governor":        "powersave\n",
		cpus + "cpu2/cpufreq/scaling_governor":        "powersave\n",
		cpus + "cpu0/cpufreq/scaling_driver":          "intel_pstate\n",
		cpus + "cpufreq/policy0/scaling_driver":       "of no CPU\n",
		"sys/devices/system/cpu/cpu1/online":          "1\n",
		"sys/devices/system/cpu/cpu1/cpufreq/ignored": "1\n",
	}).writing(&got)
	governor, driver := "performance, powersave", "intel_pstate"
	number := func(n int64) *int64 { return &n }
	want := results.Environment{
		CPUGovernor: &governor, CPUDriver: &driver, PageCacheBytes: number(3 << 10), DirtyRatio: number(20), DirtyBackgroundRatio: number(10),
		DirtyBytes: number(0), DirtyBackgroundBytes: number(1 << 20),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
