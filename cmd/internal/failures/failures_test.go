//go:build linux

// Package failures is `make failures`: fourteen faults of nodes, networks and consumers, each
// with three nodes of four brokers, which the program starts, breaks, heals and ends. Of each
// cell it wants that the ledger adds up, that the fault was made and healed, that nothing which
// was acknowledged is lost, that the outage is what such a fault can bring about, and that
// nothing is left behind, and that an independent witness counts the same. See cell.check.
package failures

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFailures is `make failures`.
func TestFailures(t *testing.T) {
	if os.Getenv("BROKERBENCH_FAILURES") == "" {
		t.Skip("takes half an hour, and real brokers: make failures")
	}
	program := build(t)
	table := &table{}
	t.Cleanup(func() { table.print(os.Stdout) })
	for _, b := range brokers() {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			for _, f := range faults() {
				t.Run(strings.ReplaceAll(f.name, ",", ""), func(t *testing.T) {
					if f.small && os.Geteuid() != 0 {
						t.Skip("only root may mount a disk")
					}
					c := &cell{t: t, program: program, folder: t.TempDir(), broker: b, fault: f}
					c.run()
					c.check()
					table.add(c)
				})
			}
		})
	}
}

// build builds the program once, unless its path is given in place of 1.
func build(t *testing.T) (program string) {
	t.Helper()
	if given := os.Getenv("BROKERBENCH_FAILURES"); filepath.IsAbs(given) {
		return given
	}
	program = filepath.Join(t.TempDir(), "brokerbench")
	if out, err := exec.Command("go", "build", "-o", program, "../../brokerbench").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}
