package tfevents

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// The numbers of the fields of TensorBoard's messages (event.proto, summary.proto) that a log uses.
const (
	eventTime, eventStep, eventVersion, eventSummary, eventSession = 1, 2, 3, 5, 7
	sessionStatus                                                  = 1
	summaryValue                                                   = 1
	valueTag, valueNumber, valueImage                              = 1, 2, 4
	imageHeight, imageWidth, imageColours, imagePNG                = 1, 2, 3, 4
)

const (
	sessionStart = 1 // of sessionStatus
	rgb          = 3 // of imageColours
)

// version returns the first event of a file. With this version, a reader goes by start events.
func version() []byte { return text(nil, eventVersion, "brain.Event:2") }

// start returns an event that makes void what older files have from the step on.
func start(step int) []byte {
	return message(number(nil, eventStep, step), eventSession, number(nil, sessionStatus, sessionStart))
}

func scalars(step int, values []Scalar) []byte {
	var summary []byte
	for _, v := range values {
		value := protowire.AppendTag(text(nil, valueTag, v.Tag), valueNumber, protowire.Fixed32Type)
		summary = message(summary, summaryValue, protowire.AppendFixed32(value, math.Float32bits(v.Value)))
	}
	return message(number(nil, eventStep, step), eventSummary, summary)
}

func image(step int, tag string, width, height int, png []byte) []byte {
	picture := number(number(number(nil, imageHeight, height), imageWidth, width), imageColours, rgb)
	value := message(text(nil, valueTag, tag), valueImage, message(picture, imagePNG, png))
	return message(number(nil, eventStep, step), eventSummary, message(nil, summaryValue, value))
}

// stamped returns an event with the present time.
func stamped(event []byte) []byte {
	seconds := float64(time.Now().UnixMicro()) / 1e6
	return protowire.AppendFixed64(protowire.AppendTag(event, eventTime, protowire.Fixed64Type), math.Float64bits(seconds))
}

func number(b []byte, field protowire.Number, v int) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(v))
}

func text(b []byte, field protowire.Number, v string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), v)
}

func message(b []byte, field protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), v)
}

// record appends an event as TensorFlow frames records: length, its checksum, the event, its checksum.
func record(b, event []byte) []byte {
	at := len(b)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(event)))
	b = binary.LittleEndian.AppendUint32(b, masked(b[at:]))
	b = append(b, event...)
	return binary.LittleEndian.AppendUint32(b, masked(event))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// masked returns the checksum of b: its CRC-32C, rotated and shifted, because it stands beside what it
// sums up.
func masked(b []byte) uint32 {
	c := crc32.Checksum(b, castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}
