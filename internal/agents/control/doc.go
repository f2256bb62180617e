// Package control is how the processes of a run reach each other: a NATS server of the
// run's own with TLS 1.3, a certificate that is pinned, and a secret for each agent; or a
// NATS that the site has. Agents only connect; they listen on nothing.
package control
