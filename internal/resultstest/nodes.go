package resultstest

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// Nodes returns the usage of a cell's nodes in a second of its log.
type Nodes func(second int64) []results.NodeUsage

// ThreeNodes returns the usage of nodes 1, 2 and 3. Node n uses n tenths of a core and n × 256 MiB,
// and writes n MiB to files a second. The second node is dead for five seconds, from the fifth
// on. The writes of the third are unknown.
func ThreeNodes() Nodes {
	return func(second int64) (used []results.NodeUsage) {
		for n := int64(1); n <= 3; n++ {
			u := results.NodeUsage{Node: fmt.Sprint(n), CPUNS: new(int64), ResidentBytes: new(int64), ReadBytes: new(int64), WrittenBytes: new(int64)}
			if n != 2 || second < 5 || second >= 10 {
				u.Processes, *u.CPUNS, *u.ResidentBytes, *u.WrittenBytes = 1, n*1e8, n<<28, n<<20
			}
			if n == 3 {
				u.WrittenBytes = nil
			}
			used = append(used, u)
		}
		return used
	}
}

// Write writes nodes.json with so many seconds, which end 20 µs late. It does nothing if n is nil.
func (n Nodes) Write(folder *results.CellFolder, seconds int) error {
	if n == nil {
		return nil
	}
	file, err := folder.CreateNodes()
	if err != nil {
		return err
	}
	const late = int64(20 * time.Microsecond)
	for second := range int64(seconds) {
		for _, u := range n(second) {
			file.Write(results.NodeInterval{FromNS: second*1e9 + late, ToNS: (second+1)*1e9 + late, NodeUsage: u})
		}
	}
	return file.Close()
}
