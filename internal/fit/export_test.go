package fit

// KeepAll keeps models however little time their fits take.
func KeepAll() { partsFrom = 0 }
