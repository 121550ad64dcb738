package datasets

// SizeKeys are the configuration keys, or the flag, that set a Size. "" means that no key does.
type SizeKeys struct{ Functions, Points, Context string }

// sized is a source that knows the keys that set its sizes.
type sized interface{ sizeKeys() (train, eval SizeKeys) }

// TrainKeys returns the keys that set a source's TrainSize.
func TrainKeys(source any) SizeKeys {
	if s, ok := source.(sized); ok {
		train, _ := s.sizeKeys()
		return train
	}
	return SizeKeys{}
}

// EvalKeys returns the keys that set the EvalSize of a source or of a tasks file.
func EvalKeys(source any) SizeKeys {
	if s, ok := source.(sized); ok {
		_, eval := s.sizeKeys()
		return eval
	}
	return SizeKeys{}
}

func (p *synthetic) sizeKeys() (train, eval SizeKeys) {
	return SizeKeys{Functions: "train.batch_size", Points: "data.points"},
		SizeKeys{Functions: "eval.batch_size", Points: "eval.num_points", Context: "eval.max_context"}
}

func (s *images) sizeKeys() (train, eval SizeKeys) {
	points := ""
	if s.e.Data.Resize > 0 {
		points = "data.resize"
	}
	return SizeKeys{Functions: "train.batch_size", Points: points}, SizeKeys{Functions: "eval.batch_size", Points: points}
}

func (s *speedFlow) sizeKeys() (train, eval SizeKeys) {
	return SizeKeys{Context: "data.context"}, SizeKeys{}
}

func (s *csvSource) sizeKeys() (train, eval SizeKeys) {
	return SizeKeys{Functions: "train.batch_size", Points: "data.points", Context: "data.context"},
		SizeKeys{Functions: "eval.batch_size"}
}

func (t *Tasks) sizeKeys() (train, eval SizeKeys) {
	return SizeKeys{}, SizeKeys{Functions: "--tasks", Points: "--tasks"}
}
