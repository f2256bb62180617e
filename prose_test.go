package brokerbench_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	goyaml "go.yaml.in/yaml/v4"
)

// most is the bound of phrases in 1,000 words of the whole tree.
const most = 0.7

// strict are the texts without a single phrase: the pages that a stranger reads
// first, and the help of every command.
var strict = []string{
	"README.md", "DESIGN.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/decisions/*.md", "cmd/internal/cli/testdata/help-*.txt",
}

// A phrase is a rule of .vale/styles/House, which Vale applies to Markdown and
// comments.
type phrase struct {
	name               string
	tokens, exceptions []*regexp.Regexp
}

// found returns what a line has of the phrase.
func (p phrase) found(line string) (list []string) {
	for _, token := range p.tokens {
		for _, match := range token.FindAllString(line, -1) {
			if !matches(p.exceptions, match) {
				list = append(list, match)
			}
		}
	}
	return list
}

func matches(patterns []*regexp.Regexp, text string) bool {
	for _, p := range patterns {
		if p.MatchString(text) {
			return true
		}
	}
	return false
}

// phrases reads the rules.
func phrases(t *testing.T) (list []phrase) {
	t.Helper()
	files, err := filepath.Glob(".vale/styles/House/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d rules, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var rule struct{ Tokens, Exceptions []string }
		if err := goyaml.Unmarshal(text, &rule); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		p := phrase{name: strings.TrimSuffix(path.Base(file), ".yml")}
		for _, token := range rule.Tokens {
			p.tokens = append(p.tokens, regexp.MustCompile(token))
		}
		for _, exception := range rule.Exceptions {
			p.exceptions = append(p.exceptions, regexp.MustCompile(exception))
		}
		list = append(list, p)
	}
	return list
}

// A line of prose, and where it is.
type proseLine struct {
	file    string
	line    int
	text    string
	message bool // a string of Go of four words or more
}

// seenByVale tells whether `make prose` lists the line's phrases without this test.
func (l proseLine) seenByVale() bool {
	return !l.message && !strings.HasSuffix(l.file, ".txt")
}

// markdown returns the lines of a page outside of its fenced blocks.
func markdown(t *testing.T, file string) (lines []proseLine) {
	t.Helper()
	fenced := false
	for i, text := range readLines(t, file) {
		text = strings.TrimSpace(text)
		if strings.HasPrefix(text, "```") {
			fenced = !fenced
		} else if !fenced {
			lines = append(lines, proseLine{file: file, line: i + 1, text: text})
		}
	}
	return lines
}

// goProse returns the lines of the comments of a Go file, and its strings of four
// words or more.
func goProse(t *testing.T, file string) (lines []proseLine) {
	t.Helper()
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	add := func(at token.Pos, text string, message bool) {
		for i, line := range strings.Split(text, "\n") {
			lines = append(lines, proseLine{file, set.Position(at).Line + i, strings.TrimSpace(line), message})
		}
	}
	for _, group := range parsed.Comments {
		for _, c := range group.List {
			text := strings.TrimPrefix(strings.TrimPrefix(c.Text, "//"), "/*")
			if !strings.HasPrefix(text, "go:") && !strings.HasPrefix(text, "nolint") && !strings.HasPrefix(text, "\t") {
				add(c.Pos(), text, false)
			}
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil && len(strings.Fields(text)) >= 4 {
				add(lit.Pos(), text, true)
			}
		}
		return true
	})
	return lines
}

func readLines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}

// pages returns every Markdown page.
func pages(t *testing.T) (files []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || name != "." && strings.HasPrefix(entry.Name(), ".")):
			return fs.SkipDir
		case strings.HasSuffix(name, ".md"):
			files = append(files, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%d pages, %v", len(files), err)
	}
	return files
}

// A tally counts words and phrases.
type tally struct{ words, phrases int }

func (c *tally) add(line proseLine, found int) {
	c.words += len(strings.Fields(line.text))
	c.phrases += found
}

// perThousand returns the phrases in 1,000 words.
func (c *tally) perThousand() float64 { return 1000 * float64(c.phrases) / float64(max(c.words, 1)) }

// TestProse counts turns of phrase that no native speaker uses, in Markdown, comments
// and messages.
func TestProse(t *testing.T) {
	rules, all, folders := phrases(t), &tally{}, make(map[string]*tally)
	count := func(line proseLine) {
		n, folder := 0, path.Dir(line.file)
		if folders[folder] == nil {
			folders[folder] = &tally{}
		}
		for _, rule := range rules {
			found := rule.found(line.text)
			n += len(found)
			switch {
			case len(found) > 0 && isStrict(line):
				t.Errorf("%s:%d: %s: %q", line.file, line.line, rule.name, found)
			case len(found) > 0 && !line.seenByVale():
				t.Logf("%s:%d: %s: %q", line.file, line.line, rule.name, found)
			}
		}
		all.add(line, n)
		folders[folder].add(line, n)
	}
	for _, line := range prose(t) {
		count(line)
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		if c := folders[folder]; c.phrases > 0 {
			t.Logf("%-35s %6d words, %4d phrases, %4.1f per 1,000", folder, c.words, c.phrases, c.perThousand())
		}
	}
	t.Logf("%-35s %6d words, %4d phrases, %4.1f per 1,000", "all", all.words, all.phrases, all.perThousand())
	if all.perThousand() > most {
		t.Errorf("%.1f phrases in 1,000 words are more than %.1f: `make prose` lists them", all.perThousand(), most)
	}
}

// prose returns every line of the tree: pages, help texts, comments, messages.
func prose(t *testing.T) (lines []proseLine) {
	t.Helper()
	for _, file := range pages(t) {
		lines = append(lines, markdown(t, file)...)
	}
	help, err := filepath.Glob("cmd/internal/cli/testdata/help-*.txt")
	if err != nil || len(help) == 0 {
		t.Fatalf("%d help texts, %v", len(help), err)
	}
	for _, file := range help {
		lines = append(lines, markdown(t, filepath.ToSlash(file))...)
	}
	for _, file := range goFiles(t) {
		lines = append(lines, goProse(t, file)...)
	}
	return lines
}

// isStrict tells whether a line may hold no phrase at all.
func isStrict(line proseLine) bool {
	for _, pattern := range strict {
		if ok, _ := path.Match(pattern, line.file); ok {
			return true
		}
	}
	return line.message
}

// TestPhrases shows what the rules find, and what they let pass.
func TestPhrases(t *testing.T) {
	rules := phrases(t)
	for text, want := range map[string]int{
		"Who asks gets an answer":             1,
		"it ends; what is left goes":          1,
		"who else is there":                   0,
		"What the broker is asked for?":       0,
		"the messages of which some are lost": 1,
		"as it is, and not otherwise":         1,
		"the agent that is gone":              0,
		"a file of its own":                   1,
	} {
		n := 0
		for _, rule := range rules {
			n += len(rule.found(text))
		}
		if n != want {
			t.Errorf("%q: %d phrases, want %d", text, n, want)
		}
	}
}
