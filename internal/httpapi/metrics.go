package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"tapedeck/internal/archive"
	"tapedeck/internal/search"
)

// infoTimeout is how long the store may take to describe itself.
const infoTimeout = 5 * time.Second

// metrics counts what a service does, in a registry of its own.
type metrics struct {
	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec
	inFlight prometheus.Gauge
	handler  http.Handler
}

func newMetrics(ops archive.Operations, searching search.Operations) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tapedeck_http_requests_total", Help: "Requests that were answered.",
		}, []string{"route", "method", "status"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "tapedeck_http_request_duration_seconds", Help: "Time from a request's head to the end of its answer.",
			Buckets: []float64{.001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10, 60},
		}, []string{"route", "method"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "tapedeck_http_requests_in_flight", Help: "Requests that are being answered.",
		}),
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(m.requests, m.took, m.inFlight,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if ops != nil {
		registry.MustRegister(&storeCollector{ops})
	}
	if searching != nil {
		registry.MustRegister(&searchCollector{searching})
	}
	m.handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return m
}

// observe counts a request. The labels have few values, whatever clients send.
func (m *metrics) observe(r *http.Request, status int, took time.Duration) {
	route, method := r.Pattern, r.Method
	if route == "" || route == "/" {
		route = "other" // refused by the guard, or nothing is there
	}
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
	default:
		method = "other"
	}
	m.requests.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
	m.took.WithLabelValues(route, method).Observe(took.Seconds())
}

// A storeCollector asks the store when it is asked itself.
type storeCollector struct{ ops archive.Operations }

var (
	storeUp       = prometheus.NewDesc("tapedeck_store_up", "1 where the store answers.", nil, nil)
	storeSessions = prometheus.NewDesc("tapedeck_store_sessions", "Sessions, those of sub-agents with them.", nil, nil)
	storeRecords  = prometheus.NewDesc("tapedeck_store_raw_records", "Raw records.", nil, nil)
	storeStreams  = prometheus.NewDesc("tapedeck_store_streams", "Streams of raw records.", nil, nil)
	storePending  = prometheus.NewDesc("tapedeck_store_pending_streams", "Streams with records that are imported but not derived yet.", nil, nil)
	storeDeleted  = prometheus.NewDesc("tapedeck_store_deleted_streams", "Streams that were deleted for good.", nil, nil)
	storeBytes    = prometheus.NewDesc("tapedeck_store_bytes", "Size of the store on disk.", nil, nil)
)

// Describe implements [prometheus.Collector].
func (c *storeCollector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{storeUp, storeSessions, storeRecords, storeStreams, storePending, storeDeleted, storeBytes} {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (c *storeCollector) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), infoTimeout)
	defer cancel()
	gauge := func(d *prometheus.Desc, value int64) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(value))
	}
	info, err := c.ops.Info(ctx)
	if err != nil {
		gauge(storeUp, 0)
		return
	}
	gauge(storeUp, 1)
	gauge(storeSessions, info.Sessions)
	gauge(storeRecords, info.Records)
	gauge(storeStreams, info.Streams)
	gauge(storePending, info.Pending)
	gauge(storeDeleted, info.Deleted)
	gauge(storeBytes, info.Bytes)
}
