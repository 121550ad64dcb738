// Package e2e tests the program as a user runs it: whole commands on the shipped configurations,
// with data in the publishers' formats and, if they are there, the real data. The package has tests
// only.
package e2e
