-- A queued delivery that no process has in hand says what it waits for: its next attempt (`retry`), or a receiver that
-- does not answer (`breaker`). NULL: it is due, or an attempt is under way.
ALTER TABLE webhook_deliveries ADD COLUMN waiting_for VARCHAR(20);

UPDATE webhook_deliveries d SET waiting_for = 'retry'
 WHERE d.status = 'queued' AND d.next_attempt_at > now() AND EXISTS (
   SELECT 1 FROM webhook_delivery_attempts a WHERE a.delivery_sequence = d.sequence AND a.number = d.attempts);

-- What waits for an earlier delivery of its object says so, and goes no sooner than that. Subqueries in the list of
-- columns run for the rows and columns that are shown alone; of what is not queued, `lane` is NULL and none is found.
CREATE OR REPLACE VIEW extras_webhookdelivery AS
SELECT d.sequence AS id, d.id AS delivery_id, d.event_rule_id, d.action_type, d.action_object_id, d.webhook_id, d.event,
       d.object_type, d.object_id, d.request_id, d.status, d.attempts,
       CASE WHEN d.lane IS NULL THEN d.next_attempt_at ELSE greatest(d.next_attempt_at, (
         SELECT e.next_attempt_at FROM webhook_deliveries e
          WHERE e.lane = d.lane AND e.sequence < d.sequence ORDER BY e.sequence LIMIT 1)) END::timestamptz(6)
         AS next_attempt_at,
       d.response_status,
       CASE WHEN d.lane IS NULL OR d.error IS NOT NULL THEN d.error ELSE (
         SELECT 'Waits for delivery ' || e.sequence || ', an earlier one about the same object.'
           FROM webhook_deliveries e WHERE e.lane = d.lane AND e.sequence < d.sequence ORDER BY e.sequence LIMIT 1) END
         AS error,
       d.duration_ms, d.payload, d.created, d.last_attempt_at, d.finished,
       CASE WHEN d.lane IS NULL THEN NULL
            WHEN EXISTS (SELECT 1 FROM webhook_deliveries e WHERE e.lane = d.lane AND e.sequence < d.sequence)
              THEN 'earlier_delivery'
            WHEN d.next_attempt_at > now() THEN d.waiting_for END::varchar(20) AS waiting_for
  FROM webhook_deliveries d;
