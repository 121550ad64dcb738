// Package image runs the images of Dockerfile and Dockerfile.cuda with podman: .ci/nightly image.
package image
