package train

// RunWith is Run with a data source and a compiler of the test's own.
var RunWith = run
