-- Keys by which repeated sends are recognized for a day (ADR 0037). A row commits with its message and outlives it, so
-- that there is no foreign key to messages. `key` and `request` are SHA-256; `request` is null where the key is made
-- of the message itself.
CREATE TABLE "send_keys" (
    "user_id" INTEGER NOT NULL,
    "key" BYTEA NOT NULL,
    "request" BYTEA,
    "message_id" BIGINT NOT NULL,
    "visibility_policy" SMALLINT,
    "stored_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "send_keys_pkey" PRIMARY KEY ("user_id", "key")
) WITH (autovacuum_vacuum_scale_factor = 0.05);

CREATE INDEX "send_keys_stored_at_idx" ON "send_keys"("stored_at");

ALTER TABLE "send_keys" ADD CONSTRAINT "send_keys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
