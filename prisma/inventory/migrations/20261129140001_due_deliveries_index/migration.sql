-- Deliveries that are due or being sent, then those that wait. next_attempt_at is null unless a delivery is queued.
CREATE INDEX CONCURRENTLY webhook_deliveries_due_idx ON webhook_deliveries
    (((waiting_for IS NOT NULL)::int), next_attempt_at, sequence) WHERE next_attempt_at IS NOT NULL;
