package httpapi

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/search"
)

// A searchCollector asks the search when it is asked itself.
type searchCollector struct{ ops search.Operations }

var (
	searchUp        = prometheus.NewDesc("tapedeck_search_up", "1 where the index answers.", nil, nil)
	searchEmbedder  = prometheus.NewDesc("tapedeck_search_embedder_up", "1 where the embedder's last answer was one.", nil, nil)
	searchDocuments = prometheus.NewDesc("tapedeck_search_documents", "Documents that are searched.", nil, nil)
	searchVectors   = prometheus.NewDesc("tapedeck_search_vectors", "Vectors of their chunks.", nil, nil)
	searchBehind    = prometheus.NewDesc("tapedeck_search_backlog_traces", "Changed traces that have no documents yet.", nil, nil)
	searchMissing   = prometheus.NewDesc("tapedeck_search_backlog_texts", "Texts that have no vectors yet.", nil, nil)
	searchSetAside  = prometheus.NewDesc("tapedeck_search_set_aside_texts", "Texts of the backlog that the embedder refuses; they are tried again later.", nil, nil)
	searchRate      = prometheus.NewDesc("tapedeck_search_texts_per_second", "Texts that got vectors a second, of late.", nil, nil)
	searchFailures  = prometheus.NewDesc("tapedeck_search_embedder_failures_total", "Calls of the embedder that failed, by kind.", []string{"kind"}, nil)
)

// Describe implements [prometheus.Collector].
func (c *searchCollector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		searchUp, searchEmbedder, searchDocuments, searchVectors, searchBehind, searchMissing, searchSetAside, searchRate, searchFailures,
	} {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (c *searchCollector) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), infoTimeout)
	defer cancel()
	gauge := func(d *prometheus.Desc, value float64) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value)
	}
	status, err := c.ops.Status(ctx)
	if err != nil {
		gauge(searchUp, 0)
		return
	}
	gauge(searchUp, 1)
	embedder := 0.0
	if status.Healthy {
		embedder = 1
	}
	gauge(searchEmbedder, embedder)
	gauge(searchDocuments, float64(status.Documents))
	gauge(searchVectors, float64(status.Vectors))
	gauge(searchBehind, float64(status.Behind))
	gauge(searchMissing, float64(status.Missing))
	gauge(searchSetAside, float64(status.SetAside))
	gauge(searchRate, status.PerSecond)
	for kind, n := range status.Failures {
		to <- prometheus.MustNewConstMetric(searchFailures, prometheus.CounterValue, float64(n), kind)
	}
}
