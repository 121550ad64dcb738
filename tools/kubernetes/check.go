package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	yamlreader "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/apps"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
)

// Check returns the objects of a YAML text with the API server's defaults. It refuses what the API
// server refuses when it is asked to create them, and fields that it does not know.
func Check(text []byte) ([]runtime.Object, error) {
	// A codec of the server with strict decoding, which kubectl asks for.
	decoder := serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict).UniversalDecoder()
	reader := yamlreader.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	var all []runtime.Object
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		object, kind, err := decoder.Decode(document, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", len(all)+1, err)
		}
		if err := create(object, kind); err != nil {
			return nil, fmt.Errorf("%s: %w", kind.Kind, err)
		}
		all = append(all, object)
	}
}

// create does what the API server does to create an object, short of storing it.
func create(object runtime.Object, kind *schema.GroupVersionKind) error {
	fields, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	rest.FillObjectMetaSystemFields(fields)
	if fields.GetNamespace() == "" {
		fields.SetNamespace("default") // that of kubectl's context
	}
	var strategy rest.RESTCreateStrategy
	switch object := object.(type) {
	case *batch.Job:
		strategy = job.Strategy
	case *apps.Deployment:
		strategy = deployment.Strategy
	case *core.ConfigMap:
		strategy = configmap.Strategy
	case *core.PersistentVolumeClaim:
		strategy = persistentvolumeclaim.Strategy
	case *core.Service: // its strategy needs more modules than its validation
		return validation.ValidateServiceCreate(object).ToAggregate()
	default:
		return errors.New("no check of this kind")
	}
	ctx := request.WithNamespace(request.NewContext(), fields.GetNamespace())
	ctx = request.WithRequestInfo(ctx, &request.RequestInfo{APIGroup: kind.Group, APIVersion: kind.Version})
	return rest.BeforeCreate(strategy, ctx, object)
}
