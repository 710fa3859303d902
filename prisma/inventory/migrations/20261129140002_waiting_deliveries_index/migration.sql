-- Finds the action objects whose deliveries wait.
CREATE INDEX CONCURRENTLY webhook_deliveries_waiting_idx ON webhook_deliveries
    ((action_type || ' ' || action_object_id::text)) WHERE waiting_for IS NOT NULL;
