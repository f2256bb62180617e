package deploy_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// help returns the help of a command of brokerbench, as its own test keeps it; "" if it
// has no such command.
func help(t *testing.T, command string) string {
	t.Helper()
	if command == "run" {
		command = "run---all" // with its rare flags
	}
	text, err := os.ReadFile(filepath.Join("../cmd/internal/cli/testdata", "help-brokerbench-"+command+".txt"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}

// A command line is a command of brokerbench with its flags, as a file has it.
type commandLine struct{ file, command, flags string }

// commandLines are the places in which this folder calls brokerbench.
func commandLines(t *testing.T) (lines []commandLine) {
	t.Helper()
	for _, job := range []string{"kubernetes/run/agents.yaml", "kubernetes/run/coordinator.yaml"} {
		for _, doc := range documents(t, job) {
			if doc["kind"] == "Job" {
				words := texts(container(t, doc)["args"])
				lines = append(lines, commandLine{job, words[0], strings.Join(words[1:], " ")})
			}
		}
	}
	called := regexp.MustCompile(`(?m)(?:/usr/bin/brokerbench|run: \./brokerbench-head|"\$program"|"\$head"|^\$? ?brokerbench) ([a-z]+)([^|\n]*)`)
	compared := regexp.MustCompile(`deploy/ci/compare \S+ \S+ \S+ ([^\n]*)`) // the arguments for run
	for _, match := range compared.FindAllStringSubmatch(read(t, "../.github/workflows/compare.yml"), -1) {
		lines = append(lines, commandLine{"../.github/workflows/compare.yml", "run", match[1]})
	}
	for _, file := range []string{"systemd/brokerbench-agent@.service", "ci/ab", "ci/compare", "../.github/workflows/compare.yml", "grafana/README.md"} {
		for _, match := range called.FindAllStringSubmatch(read(t, file), -1) {
			lines = append(lines, commandLine{file, match[1], match[2]})
		}
	}
	return lines
}

func TestFlagsExist(t *testing.T) {
	lines := commandLines(t)
	if len(lines) < 6 {
		t.Fatalf("only %d command lines were found: %v", len(lines), lines)
	}
	for _, line := range lines {
		text := help(t, line.command)
		if text == "" {
			t.Errorf("%s: brokerbench has no command %s", line.file, line.command)
		}
		for _, flag := range regexp.MustCompile(`(?:^| |=)(--[a-z][a-z-]*)`).FindAllStringSubmatch(line.flags, -1) {
			if !regexp.MustCompile(regexp.QuoteMeta(flag[1]) + `\b`).MatchString(text) {
				t.Errorf("%s: brokerbench %s has no flag %s", line.file, line.command, flag[1])
			}
		}
	}
}
