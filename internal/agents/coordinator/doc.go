// Package coordinator measures cells on agents: it waits until they are there, drives each
// attempt by package attempt, reads what they deliver, and keeps in the control server's
// key-value store how far the run is. It sends no message to the system under test.
package coordinator
