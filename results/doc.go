// Package results defines the files that brokerbench stores, and reads and writes
// them.
//
// A run is a folder, <out>/<time>-<name>/:
//
//	run.json                     the plan, the environment, the list of cells
//	cells/<cell>/cell.json       the measurement, its verdict and its problems
//	cells/<cell>/response.hgrm   percentiles of response times, ms
//	cells/<cell>/service.hgrm    percentiles of service times, ms
//	cells/<cell>/corrected.hgrm  service back-filled; only with one message in flight
//	cells/<cell>/intervals.hlog  every second and tag: response, service, lag, held, warmup
//	cells/<cell>/resources.json  every second: usage of the process and the machine
//	cells/<cell>/resources.csv   the same as a table
//	cells/<cell>/nodes.json      every second: usage of each node of the target; if known
//	cells/<cell>/nodes.csv       the same as a table
//	summary/<id>/summary.json    all repeats together; only if the plan repeats
//	summary/<id>/merged.hgrm     percentiles of the response times of all repeats, ms
//
// The first field of a JSON file names its schema. Within a schema fields are only
// added. Times are nanoseconds, in fields that end in _ns; rates are messages per
// second, in fields that end in _per_s.
package results

// The schemas of the JSON files.
const (
	RunSchema       = "brokerbench/run/1"
	CellSchema      = "brokerbench/cell/1"
	ResourcesSchema = "brokerbench/resources/1"
	NodesSchema     = "brokerbench/nodes/1"
	SummarySchema   = "brokerbench/summary/1"
)
