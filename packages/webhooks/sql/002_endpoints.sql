-- Endpoints of the package itself. Secrets are encrypted by the service.
CREATE TABLE webhooks.endpoints (
  id             uuid        PRIMARY KEY,
  -- Order of creation, by which lists are paged.
  sequence       bigint      GENERATED ALWAYS AS IDENTITY UNIQUE,
  -- Tenant of the service, such as an organization.
  owner          text        NOT NULL DEFAULT '',
  url            text        NOT NULL,
  -- Origin of the URL. Deliveries to one receiver share slots and a circuit breaker.
  receiver       text        NOT NULL,
  description    text        NOT NULL DEFAULT '',
  -- Event types that the endpoint receives; '*' for all.
  event_types    text[]      NOT NULL CHECK (cardinality(event_types) > 0),
  -- Data of the service about the endpoint. Not jsonb, which does not allow U+0000.
  metadata       json        NOT NULL DEFAULT '{}',
  enabled        boolean     NOT NULL DEFAULT true,
  secret         text        NOT NULL,
  -- Replaced secrets, newest first: each encrypted, with the time in milliseconds since the epoch until which it signs.
  former_secrets jsonb       NOT NULL DEFAULT '[]',
  -- Time at which the last replaced secret has expired.
  former_until   timestamptz,
  created        timestamptz NOT NULL DEFAULT now(),
  updated        timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX endpoints_owner ON webhooks.endpoints (owner, sequence);
CREATE INDEX endpoints_former_until ON webhooks.endpoints (former_until) WHERE former_until IS NOT NULL;

CREATE INDEX deliveries_failed ON webhooks.deliveries (owner, sequence) WHERE status = 'failed';
