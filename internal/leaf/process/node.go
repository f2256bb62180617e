package process

// A Node is a group of processes of this machine, such as a broker and its children.
type Node struct {
	Name string
	IDs  []ID   // the first process first; none if it does not run
	Log  string // the file with its output; "": unknown
	Data string // its data folder; "": unknown
}
