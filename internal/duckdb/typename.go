package duckdb

import (
	"strconv"
	"strings"

	c "github.com/duckdb/duckdb-go-bindings"

	"tapedeck/decode"
)

// maxEnumNames bounds how many values of an ENUM its name spells out: a type's
// name goes into every answer, and an ENUM may have thousands.
const maxEnumNames = 20

var plainTypeNames = map[c.Type]string{
	c.TypeBoolean:     "BOOLEAN",
	c.TypeTinyInt:     "TINYINT",
	c.TypeSmallInt:    "SMALLINT",
	c.TypeInteger:     "INTEGER",
	c.TypeBigInt:      "BIGINT",
	c.TypeUTinyInt:    "UTINYINT",
	c.TypeUSmallInt:   "USMALLINT",
	c.TypeUInteger:    "UINTEGER",
	c.TypeUBigInt:     "UBIGINT",
	c.TypeFloat:       "FLOAT",
	c.TypeDouble:      "DOUBLE",
	c.TypeTimestamp:   "TIMESTAMP",
	c.TypeDate:        "DATE",
	c.TypeTime:        "TIME",
	c.TypeInterval:    "INTERVAL",
	c.TypeHugeInt:     "HUGEINT",
	c.TypeUHugeInt:    "UHUGEINT",
	c.TypeVarchar:     "VARCHAR",
	c.TypeBlob:        "BLOB",
	c.TypeTimestampS:  "TIMESTAMP_S",
	c.TypeTimestampMS: "TIMESTAMP_MS",
	c.TypeTimestampNS: "TIMESTAMP_NS",
	c.TypeUUID:        "UUID",
	c.TypeBit:         "BIT",
	c.TypeTimeTZ:      "TIME WITH TIME ZONE",
	c.TypeTimestampTZ: "TIMESTAMP WITH TIME ZONE",
	c.TypeBigNum:      "BIGNUM",
	c.TypeSQLNull:     `"NULL"`,
	c.TypeTimeNS:      "TIME_NS",
	c.TypeVariant:     "VARIANT",
}

// typeName spells a type as DESCRIBE does.
func typeName(t c.LogicalType) string {
	if alias := c.LogicalTypeGetAlias(t); alias != "" {
		return alias
	}
	switch id := c.GetTypeId(t); id {
	case c.TypeDecimal:
		return "DECIMAL(" + strconv.Itoa(int(c.DecimalWidth(t))) + "," + strconv.Itoa(int(c.DecimalScale(t))) + ")"
	case c.TypeEnum:
		return enumName(t)
	case c.TypeList:
		return childName(c.ListTypeChildType(t)) + "[]"
	case c.TypeArray:
		return childName(c.ArrayTypeChildType(t)) + "[" + strconv.Itoa(int(c.ArrayTypeArraySize(t))) + "]"
	case c.TypeMap:
		return "MAP(" + childName(c.MapTypeKeyType(t)) + ", " + childName(c.MapTypeValueType(t)) + ")"
	case c.TypeStruct:
		return "STRUCT(" + memberNames(c.StructTypeChildCount(t),
			func(i c.IdxT) string { return c.StructTypeChildName(t, i) },
			func(i c.IdxT) c.LogicalType { return c.StructTypeChildType(t, i) }) + ")"
	case c.TypeUnion:
		return "UNION(" + memberNames(c.UnionTypeMemberCount(t),
			func(i c.IdxT) string { return c.UnionTypeMemberName(t, i) },
			func(i c.IdxT) c.LogicalType { return c.UnionTypeMemberType(t, i) }) + ")"
	case c.TypeGeometry:
		if crs := c.GeometryTypeGetCRS(t); crs != "" {
			return "GEOMETRY(" + QuoteText(crs) + ")"
		}
		return "GEOMETRY"
	default:
		if name, ok := plainTypeNames[id]; ok {
			return name
		}
		return "type " + strconv.Itoa(int(id))
	}
}

func childName(t c.LogicalType) string {
	defer c.DestroyLogicalType(&t)
	return typeName(t)
}

func memberNames(count c.IdxT, name func(c.IdxT) string, child func(c.IdxT) c.LogicalType) string {
	parts := make([]string, count)
	for i := range parts {
		parts[i] = childName(child(c.IdxT(i)))
		if n := name(c.IdxT(i)); n != "" {
			parts[i] = decode.SpellIdent(n) + " " + parts[i]
		}
	}
	return strings.Join(parts, ", ")
}

func enumName(t c.LogicalType) string {
	count := c.EnumDictionarySize(t)
	parts := make([]string, 0, min(count, maxEnumNames)+1)
	for i := range min(count, maxEnumNames) {
		parts = append(parts, QuoteText(c.EnumDictionaryValue(t, c.IdxT(i))))
	}
	if count > maxEnumNames {
		parts = append(parts, "… "+strconv.Itoa(int(count-maxEnumNames))+" more")
	}
	return "ENUM(" + strings.Join(parts, ", ") + ")"
}
