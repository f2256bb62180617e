// Package place starts the processes of agents where they are to measure: on this machine,
// over the system's own ssh, or on Kubernetes by the system's own kubectl. An agent gets
// what it joins with by its standard input or as a Secret, and ends with it.
package place
