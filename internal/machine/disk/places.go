package disk

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A Place is a file system and the data folder of the first of its nodes.
type Place struct {
	results.Disk

	Folder string
}

// Places returns the file systems below the data folders of nodes, as the kernel describes them below a root
// folder, which is "/" outside of tests.
func Places(root string, nodes []plan.Node) (list []Place) {
	mounts, devices := readMounts(root), []string(nil)
	for _, n := range nodes {
		m := mountOf(mounts, n.Data)
		if i := slices.Index(devices, m.device); i >= 0 && m.device != "" {
			list[i].Of = append(list[i].Of, n.Name)
			continue
		}
		devices = append(devices, m.device)
		p := Place{Disk: results.Disk{Of: []string{n.Name}}, Folder: n.Data}
		m.describe(&p.Disk)
		describeDrive(&p.Disk, driveOf(root, m))
		list = append(list, p)
	}
	return list
}

// A mount is a line of /proc/self/mountinfo.
type mount struct{ device, point, options, kind, source string }

// readMounts returns the mounts that this process sees, the last one last.
func readMounts(root string) (list []mount) {
	text, _ := os.ReadFile(filepath.Join(root, "proc/self/mountinfo")) // unknown is none
	for line := range strings.Lines(string(text)) {
		before, after, ok := strings.Cut(line, " - ")
		first, last := strings.Fields(before), strings.Fields(after)
		if !ok || len(first) < 6 || len(last) < 2 {
			continue
		}
		options := strings.Split(first[5], ",")
		for _, o := range strings.Split(strings.Join(last[2:], ","), ",") {
			if o != "" && !slices.Contains(options, o) {
				options = append(options, o)
			}
		}
		list = append(list, mount{first[2], unescape(first[4]), strings.Join(options, ","), last[0], unescape(last[1])})
	}
	return list
}

// unescape returns a name as the kernel would not write it into a table.
func unescape(name string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(name)
}

// mountOf returns the mount of a folder, which may be gone; zero if it is unknown. The last of several at one
// place hides the others.
func mountOf(mounts []mount, folder string) (found mount) {
	if resolved, err := filepath.EvalSymlinks(folder); err == nil {
		folder = resolved
	}
	if absolute, err := filepath.Abs(folder); err == nil {
		folder = absolute
	}
	for _, m := range mounts {
		inside := folder == m.point || strings.HasPrefix(folder, strings.TrimSuffix(m.point, "/")+"/")
		if inside && len(m.point) >= len(found.point) {
			found = m
		}
	}
	return found
}

func (m mount) describe(d *results.Disk) {
	d.FileSystem, d.MountOptions = known(m.kind), known(m.options)
}

// known returns a text that is known if it is not empty.
func known(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
