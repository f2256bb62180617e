package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/config"
	"github.com/brokerbench/brokerbench/internal/leaf/golden"
)

// testOptions know no variables, and refuse one scheme.
func testOptions() config.Options {
	return config.Options{
		Lookup: func(string) (string, bool) { return "", false },
		Usual: func(text string) string {
			if name, _, _ := strings.Cut(text, "?"); slices.Contains([]string{"nats", "redis", "rabbitmq", "kafka"}, name) {
				return name + "://h"
			}
			return text
		},
		ParseTarget: func(url string) (string, error) {
			scheme, _, _ := strings.Cut(url, ":")
			if scheme == "refused" {
				return "", errors.Join(errors.New("target refused: unknown scheme"), errors.New("a second line"))
			}
			return strings.ToLower(scheme), nil
		},
	}
}

func TestMistakesAreReported(t *testing.T) {
	files, err := filepath.Glob("testdata/mistakes/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, err = config.Parse("plan.yaml", data, config.Overrides{}, testOptions())
			if err == nil {
				t.Fatal("no mistake is found")
			}
			if strings.Contains(err.Error(), "hunter") {
				t.Error("a password is in it")
			}
			golden.Check(t, strings.TrimSuffix(strings.TrimPrefix(file, "testdata/"), ".yaml")+".golden", err.Error()+"\n")
		})
	}
}

// The mark stands below the column that the message names, unless the line is cut
// or hidden.
func TestMarkIsBelowTheColumn(t *testing.T) {
	_, err := config.Parse("p", []byte("matrix: {size: [1KiB, 'é', ü, 12B]}"), config.Overrides{}, testOptions())
	var got config.Mistakes
	if !errors.As(err, &got) || len(got) != 3 {
		t.Fatalf("got %v, want three mistakes", err)
	}
	for i, column := range []int{23, 28, 31} {
		lines := strings.Split(got[i].Excerpt, "\n")
		head := len([]rune("      1 | "))
		if mark := len([]rune(strings.SplitN(lines[1], "^", 2)[0])) - head + 1; mark != column {
			t.Errorf("mark %d below column %d:\n%s", mark, column, got[i].Excerpt)
		}
	}
}

func TestOverridesAreChecked(t *testing.T) {
	env, err := config.FromEnv([]string{"BROKERBENCH_SIZE=12", "BROKERBENCH_REPEAT=0", "BROKERBENCH_SPIN=x"})
	if err != nil {
		t.Fatal(err)
	}
	flags := config.Values{"rate": {"0,1", "1"}, "repeat": {"x"}, "name": {"a b"}, "targets": {"natz", "refused://u:hunter2@h"}}
	_, err = config.Load("", config.Overrides{Flags: flags, Env: env}, testOptions())
	golden.Check(t, "overrides.golden", fmt.Sprintln(err))
}

// refused writes each case with its mistakes, for a golden file. Every case must have some.
func refused(t *testing.T, name string, cases []string, read func(text string) error) {
	t.Helper()
	var b strings.Builder
	for _, text := range cases {
		err := read(text)
		if found := new(config.Mistakes); !errors.As(err, found) {
			t.Errorf("%.40s: %v, want mistakes", text, err)
		}
		fmt.Fprintf(&b, "%.40s\n%v\n\n", text, err)
	}
	golden.Check(t, name, b.String())
}

// refusedFlags does so for values of one flag.
func refusedFlags(t *testing.T, name, key string, values ...string) {
	t.Helper()
	refused(t, name, values, func(text string) error {
		_, err := config.Load("", flags(config.Values{key: {text}}), config.Options{})
		return err
	})
}

func TestMistakesOfFileAndFlagsComeTogether(t *testing.T) {
	opts := testOptions()
	opts.Stdin = strings.NewReader("duration: 1x")
	_, err := config.Load("-", flags(config.Values{"duration": {"2x"}}), opts)
	var got config.Mistakes
	if !errors.As(err, &got) || len(got) != 2 || got[0].Where != "stdin:1:11" || got[1].Where != "--duration" {
		t.Errorf("got %v", err)
	}
}

func TestFlagsThatAreWrong(t *testing.T) {
	many := make([]string, 200)
	for i := range many {
		many[i] = fmt.Sprint(i + 1)
	}
	refusedFlags(t, "ranges.golden", "rate", "1k..64k", "64k..1k*2", "1..1000000+1", "1..8*1", "1..8*x", "1..fast*2", "1..8+0", "1..4*2,2..4*2")
	var b strings.Builder
	for _, tt := range []struct {
		file string
		over config.Values
	}{
		{"", config.Values{"rate": many, "connections": many}},
		{"", config.Values{"rate": many, "repeat": {"10000"}}},
		{"targets: [nats://h]", config.Values{"targets": {"nat"}}},
		{"targets: [nats://h]", config.Values{"targets": {"nats", "nats"}}},
		{"targets: [nats://h]", config.Values{"targets": {"refused://h"}}},
	} {
		_, err := config.Parse("p", []byte(tt.file), flags(tt.over), testOptions())
		fmt.Fprintln(&b, err)
	}
	golden.Check(t, "flags.golden", b.String())
}

func TestSecretOfAVariableIsHidden(t *testing.T) {
	opts := testOptions()
	opts.Lookup = func(string) (string, bool) { return "refused://u:hunter2@h", true }
	_, err := config.Parse("p", []byte("targets:\n  - ${URL}\n  - {url: '${URL}', options: [1]}\n"), config.Overrides{}, opts)
	if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "- ${URL}") {
		t.Errorf("got %v", err)
	}
}

func TestMoreIsRedacted(t *testing.T) {
	opts := testOptions()
	opts.Redact = func(text string) string { return strings.ReplaceAll(text, "hunter2", "***") }
	opts.ParseTarget = func(url string) (string, error) { return "", errors.New("wrong: " + url) }
	_, err := config.Parse("p", []byte("targets: [nats://h?token=hunter2]"), config.Overrides{}, opts)
	want := "p:1:11: wrong: nats://h?token=***\n" +
		"      1 | targets: [nats://h?token=***]\n" +
		"        |           ^"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}
