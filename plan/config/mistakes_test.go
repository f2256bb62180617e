package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/golden"
	"github.com/brokerbench/brokerbench/plan/config"
)

// testOptions know no variables, and refuse one scheme.
func testOptions() config.Options {
	return config.Options{
		Lookup: func(string) (string, bool) { return "", false },
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
