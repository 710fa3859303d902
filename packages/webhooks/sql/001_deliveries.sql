-- Columns that the delivery engine needs. A service may add columns, and gives the tables its own names.
-- Webhooks to send, and those that were sent until they are removed. The job in Redis only causes an attempt.
CREATE TABLE webhooks.deliveries (
  id              uuid        PRIMARY KEY,
  sequence        bigint      GENERATED ALWAYS AS IDENTITY UNIQUE,
  -- Without a foreign key, deliveries remain when their endpoint is deleted, and writers do not lock it.
  endpoint_id     uuid        NOT NULL,
  owner           text        NOT NULL DEFAULT '',
  event           text        NOT NULL DEFAULT '',
  order_key       text,
  -- Further headers of this delivery.
  headers         json        NOT NULL DEFAULT '{}',
  content_type    text        NOT NULL,
  -- The body.
  payload         text        NOT NULL,
  status          text        NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'succeeded', 'failed')),
  attempts        integer     NOT NULL DEFAULT 0,
  -- Number of attempts before the last requeue, which the retry policy does not count.
  requeued_after  integer     NOT NULL DEFAULT 0,
  -- Order key of a queued delivery. It has its own index, which is used even without statistics.
  lane            text        GENERATED ALWAYS AS (
                    CASE WHEN status = 'queued' THEN endpoint_id::text || ' ' || order_key END) STORED,
  -- Time at which the delivery is due. During an attempt, the end of its lease.
  next_attempt_at timestamptz DEFAULT now(),
  -- `retry` or `breaker` while a queued delivery waits; null while it is due or being sent.
  waiting_for     text,
  response_status integer,
  error           text,
  duration_ms     integer,
  created         timestamptz NOT NULL DEFAULT now(),
  last_attempt_at timestamptz,
  finished        timestamptz
);
CREATE INDEX deliveries_lane ON webhooks.deliveries (lane, sequence) WHERE lane IS NOT NULL;
CREATE INDEX deliveries_due ON webhooks.deliveries (next_attempt_at) WHERE status = 'queued';
CREATE INDEX deliveries_queued ON webhooks.deliveries (sequence) WHERE status = 'queued';
CREATE INDEX deliveries_endpoint ON webhooks.deliveries (endpoint_id, sequence);
CREATE INDEX deliveries_owner ON webhooks.deliveries (owner, sequence);
CREATE INDEX deliveries_finished ON webhooks.deliveries (finished) WHERE finished IS NOT NULL;

-- Requests and responses of each attempt. An attempt of a process that died leaves no row.
CREATE TABLE webhooks.attempts (
  delivery_sequence  bigint      NOT NULL REFERENCES webhooks.deliveries (sequence) ON DELETE CASCADE,
  number             integer     NOT NULL,
  started            timestamptz NOT NULL,
  duration_ms        integer     NOT NULL,
  request_method     text,
  request_url        text,
  -- Values of signatures and further headers are masked.
  request_headers    json,
  -- Null if it equals the payload.
  request_body       text,
  response_status    integer,
  response_headers   json,
  response_body      text,
  response_truncated boolean     NOT NULL DEFAULT false,
  error              text,
  PRIMARY KEY (delivery_sequence, number)
);
CREATE INDEX attempts_started ON webhooks.attempts (started);
