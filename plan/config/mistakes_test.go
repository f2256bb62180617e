package config_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/golden"
	"github.com/brokerbench/brokerbench/plan/config"
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
	want := []string{
		`--name: name "a b": want letters, digits, - _ and . only, a letter or digit first, at most 64 (such as "a-b")`,
		`--repeat: repeat "x": want a whole number from 1 to 10000`,
		`BROKERBENCH_SPIN: spin "x": want auto or a time such as 50us`,
		`target "natz": not a URL: it needs a scheme, as in nats://127.0.0.1:4222, or is the name of a broker, such as nats`,
		`target refused: unknown scheme; a second line`,
		`--rate: rate 0/s is not between 1/h and 1,000,000,000/s`,
		`--rate: rate 1 is there twice; use repeat`,
		`BROKERBENCH_SIZE: size 12 B is below the 16 B a stamp needs`,
	}
	if err == nil || err.Error() != strings.Join(want, "\n") {
		t.Errorf("got\n%v\nwant\n%s", err, strings.Join(want, "\n"))
	}
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
	const file = "targets: [nats://h]"
	for _, tt := range []struct {
		file, key string
		values    []string
		also      config.Values
		want      string
	}{
		{"", "rate", many, config.Values{"connections": many}, "more than 10000 combinations to measure"},
		{"", "rate", many, config.Values{"repeat": {"10000"}}, "the plan has 2000000 cells: 200 combinations on 0 targets, 10000 times; the limit is 100000"},
		{file, "targets", []string{"nat"}, nil, `target "nat" is none of the plan's (did you mean "nats"?)`},
		{file, "targets", []string{"nats", "nats"}, nil, "two targets are named nats"},
		{file, "targets", []string{"refused://h"}, nil, "target refused: unknown scheme; a second line"},
		{"", "rate", []string{"1k..64k"}, nil, `--rate: rate "1k..64k": want from..to*factor or from..to+step, such as 1k..64k*2`},
		{"", "rate", []string{"64k..1k*2"}, nil, `--rate: rate "64k..1k*2": it begins above its end`},
		{"", "rate", []string{"1..1000000+1"}, nil, `--rate: rate "1..1000000+1" has more than 1000 values`},
		{"", "rate", []string{"1..8*1"}, nil, `--rate: rate: factor "1": want a number from 1.01 to 1000000, such as 2`},
		{"", "rate", []string{"1..8*x"}, nil, `--rate: rate: factor "x": want a number from 1.01 to 1000000, such as 2`},
		{"", "rate", []string{"1..fast*2"}, nil, `--rate: rate "fast": want messages per second, minute or hour, such as 3000, 20k, 0.1/s, 6/m or 90/h`},
		{"", "rate", []string{"1..8+0"}, nil, `--rate: rate "0": a range goes over numbers above 0`},
		{"", "rate", []string{"1..4*2,2..4*2"}, nil, "--rate: rate 2 is there twice; use repeat\n--rate: rate 4 is there twice; use repeat"},
	} {
		over := config.Values{tt.key: tt.values}
		maps.Copy(over, tt.also)
		_, err := config.Parse("p", []byte(tt.file), flags(over), testOptions())
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s %.20v: got %v\nwant %s", tt.key, tt.values, err, tt.want)
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
