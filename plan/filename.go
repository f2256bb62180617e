package plan

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// FileName returns a name for files and folders on every system: letters, digits,
// dashes, underscores and dots. It returns a name of these characters unchanged.
// Otherwise it keeps the valid characters and adds a hash, so that different names stay
// different, even on a system that treats é and e with an accent as one letter.
func FileName(name string) string {
	var b strings.Builder
	changed := false
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("._-", r):
			b.WriteRune(r)
		default:
			changed = true
			if kept := b.String(); kept != "" && !strings.HasSuffix(kept, "-") {
				b.WriteByte('-')
			}
		}
	}
	if !changed {
		return name
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(name)) // never fails
	return strings.TrimLeft(fmt.Sprintf("%s-%08x", strings.TrimRight(b.String(), "-"), hash.Sum32()), "._-")
}
