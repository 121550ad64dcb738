package fetch

// Set is a data set as its publishers offer it.
type Set struct {
	Name  string // of the benchmark, and of the folder below the data directory
	Files []File
}

// File is one file of a set.
type File struct {
	Name   string   // on disk, and below a mirror's folder of the set
	URLs   []string // where it is, in the order to try
	Bytes  int64    // its size; 0 where unknown
	SHA256 string   // "" where none is published
	Starts string   // its first bytes, to tell it from a web page where there is no sum
}

// Sets are all that can be fetched. Sizes and sums are those of TensorFlow Datasets' checksum lists; the Frey faces and
// R's data have none.
func Sets() []Set {
	fashion := []string{"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"}
	mnist := []string{"https://ossci-datasets.s3.amazonaws.com/mnist/", "http://yann.lecun.com/exdb/mnist/"}
	svhn := []string{"http://ufldl.stanford.edu/housenumbers/"}
	omniglot := []string{"https://github.com/brendenlake/omniglot/raw/master/python/"}
	return []Set{
		{"mnist", []File{
			at(mnist, "train-images-idx3-ubyte.gz", 9912422, "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"),
			at(mnist, "t10k-images-idx3-ubyte.gz", 1648877, "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"),
		}},
		{"fashion-mnist", []File{
			at(fashion, "train-images-idx3-ubyte.gz", 26421880, "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"),
			at(fashion, "t10k-images-idx3-ubyte.gz", 4422102, "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"),
		}},
		{"svhn", []File{
			at(svhn, "train_32x32.mat", 182040794, "435e94d69a87fde4fd4d7f3dd208dfc32cb6ae8af2240d066de1df7508d083b8"),
			at(svhn, "test_32x32.mat", 64275384, "cdce80dfb2a2c4c6160906d0bd7c68ec5a99d7ca4831afa54f09182025b6a75b"),
		}},
		{"omniglot", []File{
			at(omniglot, "images_background.zip", 9464212, "ad41ab679c8b5d90b271ef46be6987cc81211774a695c29dcc5367b2b26ee640"),
			at(omniglot, "images_evaluation.zip", 6462886, "1f61a8f3366785b057fc117d9228e78a16e3d976c8953b2a10fcc74cf0609cee"),
		}},
		{"freyface", []File{
			{Name: "frey_rawface.mat", URLs: []string{"https://cs.nyu.edu/~roweis/data/frey_rawface.mat"}, Starts: "MATLAB 5.0 MAT-file"},
		}},
		{"speed-flow", []File{{
			Name: "hdrcde.rda", // both lanes, and what else hdrcde has
			URLs: []string{
				"https://raw.githubusercontent.com/robjhyndman/hdrcde/master/data/data.rda",
				"https://raw.githubusercontent.com/cran/hdrcde/master/data/data.rda",
			},
			Starts: "\x1f\x8b", // gzip
		}}},
	}
}

// at is a file that has the same name at all its addresses.
func at(folders []string, name string, bytes int64, sum string) File {
	f := File{Name: name, Bytes: bytes, SHA256: sum}
	for _, folder := range folders {
		f.URLs = append(f.URLs, folder+name)
	}
	return f
}
