package figures

import (
	"image"
	"image/color"
	"image/draw"

	"gonum.org/v1/plot/vg"
)

// pdfCanvas corrects vgpdf's translucent colours, images and letters.
type pdfCanvas struct{ vg.CanvasWriterTo }

// SetColor corrects an error of vgpdf, which treats components multiplied by alpha as plain ones
// and so darkens them.
func (c pdfCanvas) SetColor(colour color.Color) {
	if colour != nil {
		colour = straight(color.NRGBAModel.Convert(colour).(color.NRGBA))
	}
	c.CanvasWriterTo.SetColor(colour)
}

// straight is a colour whose components are not multiplied by alpha.
type straight color.NRGBA

// RGBA returns the components as they are. color.Color would have them multiplied by alpha.
func (c straight) RGBA() (r, g, b, a uint32) {
	return uint32(c.R) * 0x101, uint32(c.G) * 0x101, uint32(c.B) * 0x101, uint32(c.A) * 0x101
}

// DrawImage flips the image, since vgpdf draws it upside down.
func (c pdfCanvas) DrawImage(rect vg.Rectangle, img image.Image) {
	b := img.Bounds()
	turned := image.NewNRGBA(b)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		row := image.Rect(b.Min.X, y, b.Max.X, y+1)
		draw.Draw(turned, row, img, image.Pt(b.Min.X, b.Max.Y-1-(y-b.Min.Y)), draw.Src)
	}
	c.CanvasWriterTo.DrawImage(rect, turned)
}
