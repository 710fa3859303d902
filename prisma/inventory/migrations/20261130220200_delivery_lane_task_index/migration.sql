-- The states of all queued deliveries are read in the order of their lanes from this index alone, without rows and without a
-- sort. It also serves the statements of the former index, which it replaces.
CREATE INDEX CONCURRENTLY webhook_deliveries_lane_task_idx ON webhook_deliveries (lane, sequence) INCLUDE (id, next_attempt_at, created)
    WHERE lane IS NOT NULL;
