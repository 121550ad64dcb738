package submit

// The types below are the part of k8s.io/api that a sweep needs. tools/kubernetes decodes what
// they write as the API server does. The program does without k8s.io/api, which would make it
// 11 MB larger.

type metadata struct {
	Name      string            `yaml:"name,omitempty"`
	Namespace string            `yaml:"namespace,omitempty"`
	Labels    map[string]string `yaml:"labels,omitempty"`
}

type configMap struct {
	APIVersion string            `yaml:"apiVersion"`
	Kind       string            `yaml:"kind"`
	Metadata   metadata          `yaml:"metadata"`
	Immutable  bool              `yaml:"immutable"`
	Data       map[string]string `yaml:"data"`
}

type job struct {
	APIVersion string   `yaml:"apiVersion"`
	Kind       string   `yaml:"kind"`
	Metadata   metadata `yaml:"metadata"`
	Spec       jobSpec  `yaml:"spec"`
}

type jobSpec struct {
	CompletionMode       string           `yaml:"completionMode"`
	Completions          int              `yaml:"completions"`
	Parallelism          int              `yaml:"parallelism"`
	BackoffLimitPerIndex int              `yaml:"backoffLimitPerIndex"`
	Suspend              bool             `yaml:"suspend,omitempty"`
	PodFailurePolicy     podFailurePolicy `yaml:"podFailurePolicy"`
	Template             podTemplate      `yaml:"template"`
}

type podFailurePolicy struct {
	Rules []podFailureRule `yaml:"rules"`
}

type podFailureRule struct {
	Action          string          `yaml:"action"`
	OnPodConditions []podCondition  `yaml:"onPodConditions,omitempty"`
	OnExitCodes     *exitCodeValues `yaml:"onExitCodes,omitempty"`
}

type podCondition struct {
	Type string `yaml:"type"`
}

type exitCodeValues struct {
	ContainerName string `yaml:"containerName"`
	Operator      string `yaml:"operator"`
	Values        []int  `yaml:"values,flow"`
}

type podTemplate struct {
	Metadata metadata `yaml:"metadata"`
	Spec     podSpec  `yaml:"spec"`
}

type podSpec struct {
	RestartPolicy                 string          `yaml:"restartPolicy"`
	TerminationGracePeriodSeconds int             `yaml:"terminationGracePeriodSeconds"`
	SecurityContext               securityContext `yaml:"securityContext"`
	Containers                    []container     `yaml:"containers"`
	Volumes                       []volume        `yaml:"volumes"`
}

type securityContext struct {
	RunAsNonRoot bool `yaml:"runAsNonRoot"`
	RunAsUser    int  `yaml:"runAsUser"`
	RunAsGroup   int  `yaml:"runAsGroup"`
	FSGroup      int  `yaml:"fsGroup"`
}

type container struct {
	Name         string        `yaml:"name"`
	Image        string        `yaml:"image"`
	WorkingDir   string        `yaml:"workingDir"`
	Command      []string      `yaml:"command,omitempty"`
	Args         []string      `yaml:"args"`
	Env          []variable    `yaml:"env"`
	Resources    resources     `yaml:"resources"`
	VolumeMounts []volumeMount `yaml:"volumeMounts"`
}

type variable struct {
	Name  string `yaml:"name"`
	Value string `yaml:"value"`
}

// resources maps the names of resources to quantities.
type resources struct {
	Requests map[string]string `yaml:"requests"`
	Limits   map[string]string `yaml:"limits"`
}

type volumeMount struct {
	Name      string `yaml:"name"`
	MountPath string `yaml:"mountPath"`
	SubPath   string `yaml:"subPath"`
	ReadOnly  bool   `yaml:"readOnly,omitempty"`
}

type volume struct {
	Name      string           `yaml:"name"`
	ConfigMap *configMapVolume `yaml:"configMap,omitempty"`
	Claim     *claimVolume     `yaml:"persistentVolumeClaim,omitempty"`
}

type configMapVolume struct {
	Name string `yaml:"name"`
}

type claimVolume struct {
	ClaimName string `yaml:"claimName"`
}
