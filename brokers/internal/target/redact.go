package target

import "regexp"

// userinfo finds user:password@ behind ://. The password reaches to the last @
// of the word, because people forget to escape one: rather hide too much.
var userinfo = regexp.MustCompile(`(://[^:/?#\s@"]*):[^\s"]*@`)

// Redact replaces the password of every URL in text by xxxxx: a command line, an
// error of a client library.
func Redact(text string) string {
	return userinfo.ReplaceAllString(text, "$1:xxxxx@")
}
