-- Every attempt of a delivery is kept. What was sent and answered leaves the delivery, which keeps how it stands.
CREATE TABLE webhook_delivery_attempts (
    delivery_sequence BIGINT NOT NULL,
    number INTEGER NOT NULL,
    started TIMESTAMPTZ(6) NOT NULL,
    duration_ms INTEGER NOT NULL,
    request_method TEXT,
    request_url TEXT,
    request_headers JSON,
    request_body TEXT,
    response_status INTEGER,
    response_headers JSON,
    response_body TEXT,
    response_truncated BOOLEAN NOT NULL DEFAULT false,
    error TEXT,
    CONSTRAINT webhook_delivery_attempts_pkey PRIMARY KEY (delivery_sequence, number),
    CONSTRAINT webhook_delivery_attempts_delivery_sequence_fkey FOREIGN KEY (delivery_sequence)
        REFERENCES webhook_deliveries (sequence) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX webhook_delivery_attempts_started_idx ON webhook_delivery_attempts (started);

INSERT INTO webhook_delivery_attempts
    (delivery_sequence, number, started, duration_ms, request_body, response_status, response_body, error)
SELECT sequence, attempts, last_attempt_at, duration_ms, body, response_status, response_body, error
  FROM webhook_deliveries WHERE last_attempt_at IS NOT NULL AND duration_ms IS NOT NULL;

ALTER TABLE webhook_deliveries DROP COLUMN body, DROP COLUMN response_body;
-- Attempts are numbered through: those before the last requeue count for nothing in the policy of retries.
ALTER TABLE webhook_deliveries ADD COLUMN requeued_after INTEGER NOT NULL DEFAULT 0;
CREATE INDEX webhook_deliveries_finished_idx ON webhook_deliveries (finished);
CREATE INDEX webhook_deliveries_request_id_idx ON webhook_deliveries (request_id);
CREATE INDEX webhook_deliveries_object_type_object_id_idx ON webhook_deliveries (object_type, object_id);

-- The API knows every object by a number: a delivery by its place in the order of creation.
CREATE VIEW extras_webhookdelivery AS
SELECT sequence AS id, id AS delivery_id, event_rule_id, action_type, action_object_id, webhook_id, event, object_type,
       object_id, request_id, status, attempts, next_attempt_at, response_status, error, duration_ms, payload, created,
       last_attempt_at, finished
  FROM webhook_deliveries;

SELECT keep_row_count('webhook_deliveries', 'extras.webhookdelivery');
INSERT INTO row_counts (model, slot, n)
SELECT 'extras.webhookdelivery', 0, count(*) FROM webhook_deliveries HAVING count(*) > 0;
