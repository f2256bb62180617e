package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/config"
)

func TestContentsAndHeaders(t *testing.T) {
	dir := t.TempDir()
	for i, size := range []int{16, 300} {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		file  string
		flags config.Values
		want  string // size, payload, files and headers of each shape
	}{
		"defaults": {"", nil, "1024 random 0 {0 0}"},
		"flags":    {"", config.Values{"payload": {"random,compressible(0.5)"}, "headers": {"none,8x32"}}, "1024 random 0 {0 0}; 1024 random 0 {8 32}; 1024 compressible(0.5) 0 {0 0}; 1024 compressible(0.5) 0 {8 32}"},
		"file":     {"matrix: {size: 2KiB, headers: [{count: 1, bytes: 2}, 3x4]}", nil, "2048 random 0 {1 2}; 2048 random 0 {3 4}"},
		"keys":     {"matrix: {keys: {count: 10000, skew: zipf(1.1), null: 10%}}", nil, "1024 random 0 {0 0} 10000 zipf(1.1) null=10%"},
		"files":    {"matrix: {payload: [random, 'file:" + dir + "']}", nil, "1024 random 0 {0 0}; 300 file:" + dir + " 2 {0 0}"},
	} {
		var got []string
		for _, s := range load(t, tt.file, tt.flags).Shapes {
			text := fmt.Sprintf("%d %v %d %v", s.Size, s.Payload, s.Files.Count, s.Headers)
			if s.Keys.Count > 0 {
				text += " " + s.Keys.String()
			}
			got = append(got, text)
		}
		if text := strings.Join(got, "; "); text != tt.want {
			t.Errorf("%s: %s, want %s", name, text, tt.want)
		}
	}
	for _, c := range []struct{ file, payload, size, headers, want string }{
		{"", "file:" + dir, "1KiB", "", "the sizes are those of the files"},
		{"matrix: {size: 1KiB}", "file:" + dir, "", "", "the sizes are those of the files"},
		{"", "file:" + dir + "/none", "", "", "no such file"},
		{"", "zeros", "", "", "want random, compressible(0.5)"},
		{"", "random", "", "8", "such as 8x32"},
		{"", "random", "", "0x32", "want one header at least"},
		{"", "random", "", "8x0", "headers of 0 B are not between 1 and 65536"},
		{"", "random", "", "1001x1", "1001 headers is not between 0 and 1000"},
	} {
		flags := config.Values{"payload": {c.payload}}
		if c.size != "" {
			flags["size"] = []string{c.size}
		}
		if c.headers != "" {
			flags["headers"] = []string{c.headers}
		}
		_, err := config.Parse("", []byte(c.file), config.Overrides{Flags: flags}, testOptions())
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Count(strings.TrimSpace(err.Error()), "\n") > 2 { // the line of the file, and a mark under it
			t.Errorf("%+v: %v", c, err)
		}
	}
}
