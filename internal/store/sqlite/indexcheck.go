package sqlite

// indexDisagreements are those of the index.
var indexDisagreements = []disagreement{
	{"traces of changes", `SELECT 'table trace_change', count(*), (SELECT count(*) FROM trace) AS n FROM trace_change WHERE digest IS NOT NULL AND NOT open HAVING count(*) <> n`},
	{"documents without a span", `SELECT 'document ' || d.id, 0, 1 FROM document d WHERE NOT EXISTS (
		SELECT 1 FROM span p CROSS JOIN trace t ON t.id = p.trace WHERE p.ident = d.span AND t.ident = d.trace AND t.session = d.session)`},
	{"texts without a document", `SELECT 'indexed ' || x.id, 0, 1 FROM indexed x WHERE NOT EXISTS (SELECT 1 FROM document WHERE text = x.id)`},
	{"texts in full text", `SELECT 'table words', count(*), (SELECT count(*) FROM words_docsize) AS n FROM indexed HAVING count(*) <> n`},
	{"texts of a generation", `SELECT 'generation ' || g.id, (SELECT count(*) FROM vector v WHERE v.generation = g.id) +
		(SELECT count(*) FROM unembedded u WHERE u.generation = g.id) AS n, (SELECT count(*) FROM indexed) AS m FROM generation g WHERE n <> m`},
}
