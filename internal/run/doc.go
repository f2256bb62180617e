// Package run executes a plan: it measures cells one after the other, in this process or on
// agents, has them judged, and stores their results.
package run
