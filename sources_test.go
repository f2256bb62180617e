package brokerbench_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// goFiles returns every Go file that is not a test, with slashes.
func goFiles(t *testing.T) []string { return files(t, false) }

// files returns every Go file that is a test, or that is not, with slashes.
func files(t *testing.T, tests bool) (files []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		base := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (base == "testdata" || base != "." && strings.HasPrefix(base, ".")):
			return fs.SkipDir
		case base == "go.mod" && name != base: // another module
			files = slices.DeleteFunc(files, func(f string) bool { return path.Dir(f) == path.Dir(filepath.ToSlash(name)) })
			return fs.SkipDir
		case strings.HasSuffix(base, ".go") && strings.HasSuffix(base, "_test.go") == tests:
			files = append(files, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	return files
}

func imports(t *testing.T, file string) (paths []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, imported)
	}
	return paths
}
