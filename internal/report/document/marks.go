package document

import (
	"bytes"
	"fmt"
	"os"
)

// ReplaceMade replaces the text between the two lines of the file at path that mark it as written by
// the make target.
func ReplaceMade(path, target, text string) error {
	begin, end := "<!-- begin: written by make "+target+" -->", "<!-- end: written by make "+target+" -->"
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, rest, begun := bytes.Cut(old, []byte(begin))
	_, tail, ended := bytes.Cut(rest, []byte(end))
	if !begun || !ended {
		return fmt.Errorf("%s does not hold the lines %q and %q", path, begin, end)
	}
	text = fmt.Sprintf("%s%s\n\n%s\n%s%s", head, begin, text, end, tail)
	return os.WriteFile(path, []byte(text), 0o644) //nolint:gosec // it is there, and for everyone to read
}
