package decode

// What a message may become: formats in which a few bytes stand for a list of
// many wide structs, or for a long name, could ask for any amount.
const (
	expandBytes   = 4 << 20 // always allowed
	expandPerByte = 256     // and this for a byte of message
)

// Budget is how many bytes of columns a message may still take.
type Budget int

// NewBudget returns the budget of a message of size bytes.
func NewBudget(size int) Budget { return Budget(expandBytes + expandPerByte*size) }

// Spend takes n bytes from the budget, and fails with ErrExpands when it has
// fewer.
func (b *Budget) Spend(n int) error { return b.SpendEach(n, 1) }

// SpendEach takes bytes for n values of each bytes, which need not fit an int
// together.
func (b *Budget) SpendEach(n, each int) error {
	if each > 0 && n > int(*b)/each {
		return ErrExpands
	}
	*b -= Budget(n * each)
	return nil
}
