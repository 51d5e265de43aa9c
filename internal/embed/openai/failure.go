package openai

import (
	"net/http"
	"slices"

	"tapedeck/internal/embed"
	"tapedeck/internal/embed/remote"
)

// spent are the codes and types of refusals that only money mends, from
// https://developers.openai.com/api/docs/guides/error-codes.
var spent = []string{
	"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "credit_balance_exhausted",
	"organization_spend_limit_exceeded", "project_spend_limit_exceeded", "organization_usage_limit_exceeded",
}

// failure says what refusals mean by their code; by their words where servers that
// speak this API send no code, or one of their own.
func failure(r remote.Refusal, keyed bool) (string, error) {
	is := func(codes ...string) bool { return slices.Contains(codes, r.Code) || slices.Contains(codes, r.Type) }
	missing := r.Says("model") && r.Says("does not exist", "not found", "no such model", "unknown model", "no models loaded")
	switch {
	case is(spent...):
		return "look at the plan and the bill of the account", embed.ErrQuota
	case is("model_not_found"), r.Status >= 400 && r.Status < 500 && missing:
		return "name one that the server has; its /v1/models lists them", embed.ErrModelMissing
	case is("max_tokens_per_request"), r.Says("maximum allowed batch size", "batch size is invalid"):
		return "", remote.ErrTooMuch
	case r.Status == http.StatusNotFound:
		return "there are no embeddings at that address; look at the target", embed.ErrRefused
	case r.Status == http.StatusUnauthorized && !keyed:
		return "it wants a key, and none is set", embed.ErrUnauthorized
	}
	return "", nil
}
