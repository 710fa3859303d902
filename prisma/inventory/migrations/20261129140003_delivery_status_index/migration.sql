-- Finds deliveries by their status in the order of creation.
CREATE INDEX CONCURRENTLY webhook_deliveries_status_sequence_idx ON webhook_deliveries (status, sequence);
