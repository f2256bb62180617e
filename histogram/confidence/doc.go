// Package confidence says.
package confidence
