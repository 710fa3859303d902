CREATE INDEX CONCURRENTLY webhook_deliveries_error_search_idx ON webhook_deliveries USING gin (error gin_trgm_ops) WHERE error IS NOT NULL;
