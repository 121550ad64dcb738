package figures

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/image/font/sfnt"
)

// system are the fonts of this machine. Their files are opened when a letter is looked for.
var system systemFonts

type systemFonts struct {
	mutex   sync.Mutex
	folders string // those of files
	files   []string
	found   map[rune]*sfnt.Font
}

// find returns the first font that has a letter, nil without one.
func (s *systemFonts) find(r rune) *sfnt.Font {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if folders := fontFolders(); s.found == nil || strings.Join(folders, "\n") != s.folders {
		s.folders, s.files, s.found = strings.Join(folders, "\n"), fontFiles(folders), map[rune]*sfnt.Font{}
	}
	if _, known := s.found[r]; !known {
		s.found[r] = s.first(r)
	}
	return s.found[r]
}

// first looks for a letter in the files.
func (s *systemFonts) first(r rune) *sfnt.Font {
	for _, path := range s.files {
		if f := fontWith(path, r); f != nil {
			return f
		}
	}
	return nil
}

// fontWith returns a font of a file that has the outline of a letter, nil without one. It keeps its file open,
// since outlines are read when they are drawn.
func fontWith(path string, r rune) *sfnt.Font {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	if all, err := sfnt.ParseCollectionReaderAt(file); err == nil {
		for i := range all.NumFonts() {
			f, err := all.Font(i)
			if err != nil || missing(f, r) {
				continue
			}
			if _, ok := load(f, r); ok {
				return f
			}
		}
	}
	file.Close()
	return nil
}

// fontFolders returns where Linux, macOS and Windows keep fonts.
func fontFolders() []string {
	home, _ := os.UserHomeDir()
	folders := []string{
		filepath.Join(cmp.Or(os.Getenv("XDG_DATA_HOME"), filepath.Join(home, ".local/share")), "fonts"), filepath.Join(home, ".fonts"),
		filepath.Join(home, "Library/Fonts"), "/Library/Fonts", "/System/Library/Fonts",
	}
	for _, data := range filepath.SplitList(cmp.Or(os.Getenv("XDG_DATA_DIRS"), "/usr/local/share"+string(filepath.ListSeparator)+"/usr/share")) {
		folders = append(folders, filepath.Join(data, "fonts"))
	}
	for variable, folder := range map[string]string{"WINDIR": "Fonts", "LOCALAPPDATA": `Microsoft\Windows\Fonts`} {
		if at := os.Getenv(variable); at != "" {
			folders = append(folders, filepath.Join(at, folder))
		}
	}
	slices.Sort(folders)
	return folders
}

// fontFiles returns the fonts below folders, upright ones of normal weight first, and then by name: the order
// is the machine's alone.
func fontFiles(folders []string) (paths []string) {
	for _, folder := range folders {
		_ = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
			if err == nil && slices.Contains([]string{".ttf", ".otf", ".ttc", ".otc"}, strings.ToLower(filepath.Ext(path))) {
				paths = append(paths, path)
			}
			return nil // a folder that cannot be read has no fonts
		})
	}
	slices.SortFunc(paths, func(a, b string) int { return cmp.Or(special(a)-special(b), strings.Compare(a, b)) })
	return slices.Compact(paths)
}

// special counts the words of a file's name that say that its letters look unlike the figures'.
func special(path string) (n int) {
	name := strings.ToLower(filepath.Base(path))
	for _, word := range []string{"bold", "black", "light", "thin", "medium", "italic", "oblique", "mono", "serif", "condensed"} {
		if strings.Contains(name, word) {
			n++
		}
	}
	return n
}
