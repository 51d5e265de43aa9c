package mcap

import (
	"bytes"
	"errors"
	"fmt"
)

// magic begins and ends a file. The 0 is the format's version; the bytes around
// the letters are there to show when a transfer has mangled the file.
const magic = "\x89MCAP0\r\n"

// claims recognises MCAP files, and files that were MCAP before something
// happened to them.
func claims(head []byte) (bool, error) {
	switch {
	case string(head) == magic:
		return false, errors.New("it holds only the 8 bytes that begin an MCAP file; the recorder wrote nothing more")
	case bytes.HasPrefix(head, []byte(magic)):
		return true, nil
	case bytes.HasPrefix(head, []byte("\x89MCAP0\n")), bytes.HasPrefix(head, []byte("\x89MCAP0\r\r\n")):
		return false, errors.New("it is an MCAP file whose line ends were converted, as git's autocrlf does; that can't be undone: fetch it again, with `*.mcap binary` in .gitattributes")
	case bytes.HasPrefix(head, []byte("\xef\xbf\xbdMCAP")), bytes.HasPrefix(head, []byte("\xc2\x89MCAP")):
		return false, errors.New("it is an MCAP file that was read and written as text; that can't be undone: fetch it again as binary")
	case len(head) > 5 && bytes.HasPrefix(head, []byte(magic[:5])):
		return false, fmt.Errorf("it is an MCAP file of version %q; only version \"0\" is known here", head[5:6])
	case len(head) > 0 && bytes.HasPrefix([]byte(magic), head):
		return false, fmt.Errorf("it holds only the first %d bytes of an MCAP file", len(head))
	}
	return false, nil
}
