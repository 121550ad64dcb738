// Package image runs the images of Dockerfile and Dockerfile.cuda with podman: make image.
package image
