// Package deploy_test checks this folder without special tools: everything parses, and the
// flags, files and names in it exist. `make deploy-check` uses the tool of each kind.
package deploy_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// files returns the names of the files in a folder with one of the endings.
func files(t *testing.T, folder string, endings ...string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && slices.Contains(endings, filepath.Ext(name)) {
			names = append(names, name)
		}
		return err
	})
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %d files, %v", folder, len(names), err)
	}
	return names
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// documents returns the documents of a YAML file.
func documents(t *testing.T, name string) (docs []map[string]any) {
	t.Helper()
	decoder := yaml.NewDecoder(bytes.NewReader([]byte(read(t, name))))
	for {
		var doc map[string]any
		err := decoder.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return docs
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		docs = append(docs, doc)
	}
}

func TestEveryYAMLParses(t *testing.T) {
	names := slices.Concat(files(t, ".", ".yaml", ".yml"), files(t, "../.github", ".yml"), []string{"../.goreleaser.yaml"})
	for _, name := range names {
		if len(documents(t, name)) == 0 {
			t.Errorf("%s is empty", name)
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)

func TestLinksLeadSomewhere(t *testing.T) {
	for _, name := range files(t, ".", ".md") {
		for _, match := range link.FindAllStringSubmatch(read(t, name), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), match[1])); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// Files of this repository that a text names are there.
var named = regexp.MustCompile(`\b(?:deploy|cmd)/[a-z][a-zA-Z0-9/._@-]*[a-zA-Z0-9]`)

func TestNamedFilesExist(t *testing.T) {
	names := slices.Concat(
		files(t, ".", ".md", ".yaml", ".yml", ".service", ".tf"), files(t, "../.github", ".yml"),
		[]string{"../.goreleaser.yaml", "container/Dockerfile", "check", "ci/ab", "ci/compare", "release/completions", "release/image", "release/make", "release/sbom", "release/smoke"})
	for _, name := range names {
		for _, path := range named.FindAllString(read(t, name), -1) {
			path, _, _ = strings.Cut(path, "@v") // of an action
			if _, err := os.Stat(filepath.Join("..", path)); err != nil {
				t.Errorf("%s names %s: %v", name, path, err)
			}
		}
	}
}

// No image, action or tool floats.
func TestImagesArePinned(t *testing.T) {
	image := regexp.MustCompile(`(?m)^\s*(?:- )?(?:image: *|FROM |uses: *)(\S+)`)
	names := slices.Concat(files(t, ".", ".yaml", ".yml"), files(t, "../.github", ".yml"), []string{"container/Dockerfile"})
	own := []string{"scratch", "brokerbench"} // stages, and what kustomize replaces
	count := 0
	for _, name := range names {
		for _, match := range image.FindAllStringSubmatch(read(t, name), -1) {
			count++
			reference := strings.ReplaceAll(match[1], ":-", "") // ${NATS:-2.11.6}
			if slices.Contains(own, reference) {
				continue
			}
			_, version, ok := strings.Cut(reference, ":")
			if _, action, isAction := strings.Cut(reference, "@"); isAction {
				version, ok = action, true
			}
			if !ok && strings.Contains(match[1], ":-") {
				continue
			}
			if !ok || version == "latest" || !strings.ContainsAny(version, "0123456789") {
				t.Errorf("%s: %s names no version", name, match[1])
			}
		}
	}
	if count < 20 {
		t.Errorf("only %d images were found", count)
	}
}

// The image is built with no older Go than go.mod wants.
func TestGoOfTheImage(t *testing.T) {
	want := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, "../go.mod"))[1]
	found := regexp.MustCompile(`golang:(\d+\.\d+)`).FindAllStringSubmatch(read(t, "container/Dockerfile"), -1)
	if len(found) == 0 {
		t.Fatal("no golang image")
	}
	for _, match := range found {
		if match[1] != want {
			t.Errorf("the image has Go %s, go.mod wants %s", match[1], want)
		}
	}
}

// make test-all runs targets of the Makefile and tests that exist.
func TestSuitesExist(t *testing.T) {
	script, makefile := read(t, "local/test-all"), read(t, "../Makefile")
	targets := regexp.MustCompile(`\|make ([a-z-]+)`).FindAllStringSubmatch(script, -1)
	for _, target := range targets {
		if !strings.Contains(makefile, "\n"+target[1]+": ") {
			t.Errorf("the Makefile has no target %s", target[1])
		}
	}
	tests := regexp.MustCompile(`go test \./(\S+) .* -run (\w+)`).FindAllStringSubmatch(script, -1)
	for _, test := range tests {
		found := false
		for _, name := range files(t, filepath.Join("..", test[1]), ".go") {
			found = found || regexp.MustCompile(`func \w*`+test[2]).MatchString(read(t, name))
		}
		if !found {
			t.Errorf("%s has no test %s", test[1], test[2])
		}
	}
	if len(targets) < 10 || len(tests) != 3 {
		t.Errorf("found %d targets and %d tests", len(targets), len(tests))
	}
}
