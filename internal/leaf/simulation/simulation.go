// Package simulation writes the results of simulations into docs/simulations. Tests that
// import it have the flag -long: without it they try a few cases and check bounds, with it
// they try all cases and rewrite their page, as make simulate does.
package simulation

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Long is the flag -long.
var Long = flag.Bool("long", false, "simulate all cases, and rewrite the page in docs/simulations")

// Percent writes a share in percent: "12.5 %".
func Percent(n, of int) string { return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(of)) }

// A Page holds the results of one simulation. It is not safe for concurrent use.
type Page struct {
	text strings.Builder
	tb   testing.TB
}

// NewPage begins the page name.md with a description of the simulation. With -long it is
// written when the test ends, unless the test failed.
func NewPage(tb testing.TB, name, about string) *Page {
	tb.Helper()
	p := &Page{tb: tb}
	p.text.WriteString(about + "\n")
	tb.Cleanup(func() {
		if *Long && !tb.Failed() {
			p.write(name)
		}
	})
	return p
}

func (p *Page) write(name string) {
	root, err := moduleRoot()
	if err != nil {
		p.tb.Error(err)
		return
	}
	path := filepath.Join(root, "docs", "simulations", name+".md")
	if err := os.WriteFile(path, []byte(p.text.String()), 0o600); err != nil {
		p.tb.Error(err)
	}
}

// moduleRoot returns the folder of go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", os.ErrNotExist
		}
		dir = up
	}
}

// Table begins a table with a sentence above it.
func (p *Page) Table(about string, head ...string) {
	p.tb.Helper()
	p.text.WriteString("\n" + about + "\n\n")
	p.Row(head...)
	p.text.WriteString("|" + strings.Repeat("---|", len(head)) + "\n")
}

// Row adds a row to the table, and to the test's log.
func (p *Page) Row(cells ...string) {
	p.tb.Helper()
	line := "| " + strings.Join(cells, " | ") + " |"
	p.tb.Log(line)
	p.text.WriteString(line + "\n")
}
