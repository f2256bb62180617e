package resultstest

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// Nodes are what the nodes of a cell did in each second of its log.
type Nodes func(second int64) []results.NodeUsage

// ThreeNodes returns what nodes 1, 2 and 3 did. Node n uses n tenths of a core, n × 256 MiB,
// writes n MiB to files, sends 2n MiB and receives n/2 MiB a second. The second is dead for five seconds, from the fifth on. What the
// third writes is not known.
func ThreeNodes() Nodes {
	return func(second int64) (used []results.NodeUsage) {
		for n := int64(1); n <= 3; n++ {
			u := results.NodeUsage{Node: fmt.Sprint(n), CPUNS: new(int64), ResidentBytes: new(int64), ReadBytes: new(int64), WrittenBytes: new(int64), SentBytes: new(int64), ReceivedBytes: new(int64)}
			if n != 2 || second < 5 || second >= 10 {
				u.Processes, *u.CPUNS, *u.ResidentBytes, *u.WrittenBytes = 1, n*1e8, n<<28, n<<20
				*u.SentBytes, *u.ReceivedBytes = n<<21, n<<19
			}
			if n == 3 {
				u.WrittenBytes = nil
			}
			used = append(used, u)
		}
		return used
	}
}

// Write writes nodes.json of so many seconds, each of which ends 20 µs late; of nil it writes
// nothing.
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
