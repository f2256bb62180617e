// Package place starts the processes of agents on the machines where they measure: on this
// machine, over the system's ssh, or on Kubernetes with the system's kubectl. An agent gets its
// join through its standard input or as a Secret, and ends when its standard input ends.
package place
