// Package html shows result sets as one HTML file that needs nothing else: no
// network, no server, no folder beside it.
//
// The file holds a small table of all cells as JSON, and for each cell a
// compressed blob that the page unpacks when the cell is shown: cell.json, what
// happened in each interval, and the interval histograms of response and
// service, so that the page recomputes the percentiles of any span exactly as
// package histogram does. A thousand cells open as fast as one.
//
// Package plot draws the charts of percentiles, probes and rates; each is an SVG
// in a blob. The script draws the answer, which follows the filter, and the
// timeline of a cell, in which a span can be chosen.
//
// The script is in assets (ours) and vendor (uPlot). A content
// security policy permits these scripts and styles by their hashes, and nothing
// else: whatever a broker or a target calls itself stays text.
package html
