-- Rows written in the transaction of the change that caused them, and taken by a dispatcher after its commit.
CREATE TABLE queue.outbox (
  -- CACHE 1: ids must grow with the order in which sessions insert, not with blocks handed to each of them.
  id          bigint GENERATED ALWAYS AS IDENTITY (CACHE 1) PRIMARY KEY,
  topic       text        NOT NULL,
  realm       text        NOT NULL DEFAULT '',
  version     integer     NOT NULL DEFAULT 1,
  -- json and not jsonb: the text is handed on as it was written, and U+0000 in a string is allowed.
  payload     json        NOT NULL,
  key         text,
  not_before  timestamptz,
  context     json,
  created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  attempts    integer     NOT NULL DEFAULT 0,
  error       text,
  set_aside_at timestamptz,
  -- The four below are used by event log topics alone.
  audience    text,
  weight      integer     NOT NULL DEFAULT 1 CHECK (weight >= 1),
  seq         bigint,
  void        boolean     NOT NULL DEFAULT false
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

CREATE INDEX outbox_unassigned ON queue.outbox (topic, realm, id) WHERE seq IS NULL;
CREATE INDEX outbox_assigned ON queue.outbox (topic, realm, seq) WHERE seq IS NOT NULL;
CREATE INDEX outbox_by_key ON queue.outbox (topic, key, id) WHERE key IS NOT NULL;
CREATE INDEX outbox_set_aside ON queue.outbox (topic, id) WHERE set_aside_at IS NOT NULL;
