package derive

import (
	"cmp"
	"slices"

	"tapedeck/internal/session"
)

// sums are sums over traces. Models and Daily are sorted.
type sums struct {
	Counts session.Counts
	Usage  session.Usage
	Models []session.ModelUsage
	Daily  []session.DayUsage
	Status session.Status // of the last trace
}

// clone shares nothing that grows with s.
func (s sums) clone() sums {
	s.Models, s.Daily = slices.Clone(s.Models), slices.Clone(s.Daily)
	return s
}

// prompt counts what a person wrote.
func (s *sums) prompt(at session.Time, model string) {
	s.Counts.Prompts++
	s.day(at, model).Prompts++
}

// day is the row of a day and model.
func (s *sums) day(at session.Time, model string) *session.DayUsage {
	return s.row(at.Day(), model)
}

func (s *sums) row(day, model string) *session.DayUsage {
	want := session.DayUsage{Day: day, Model: model}
	i, found := slices.BinarySearchFunc(s.Daily, want, func(a, b session.DayUsage) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Model, b.Model))
	})
	if !found {
		s.Daily = slices.Insert(s.Daily, i, want)
	}
	return &s.Daily[i]
}

// model is the row of a model.
func (s *sums) model(name string) *session.ModelUsage {
	i, found := slices.BinarySearchFunc(s.Models, name, func(m session.ModelUsage, name string) int {
		return cmp.Compare(m.Model, name)
	})
	if !found {
		s.Models = slices.Insert(s.Models, i, session.ModelUsage{Model: name})
	}
	return &s.Models[i]
}

// add adds the sums of one more trace.
func (s *sums) add(o sums) {
	s.Counts.Add(o.Counts)
	s.Usage.Add(o.Usage)
	for _, m := range o.Models {
		to := s.model(m.Model)
		to.Calls += m.Calls
		to.Usage.Add(m.Usage)
	}
	for _, d := range o.Daily {
		to := s.row(d.Day, d.Model)
		to.Usage.Add(d.Usage)
		to.Messages += d.Messages
		to.Prompts += d.Prompts
		to.ToolCalls += d.ToolCalls
		to.ToolErrors += d.ToolErrors
	}
	s.Status = o.Status
}
