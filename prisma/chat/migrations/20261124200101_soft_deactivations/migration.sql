-- Users who were away for long. Messages of channels that do not concern them write no row of user_messages until their
-- next request: docs/adr/0024-soft-deactivation.md.
CREATE TABLE "soft_deactivations" (
    "user_id" INTEGER NOT NULL,
    "realm_id" INTEGER NOT NULL,
    -- Messages up to this id have their rows.
    "after_message_id" BIGINT NOT NULL,
    -- True since the first request after the return: new messages write rows again, and missing rows are being written.
    "is_back" BOOLEAN NOT NULL DEFAULT false,
    -- Missing rows are written up to this message of this channel, in the order of the channels.
    "filled_channel_id" INTEGER NOT NULL DEFAULT 0,
    "filled_message_id" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "soft_deactivations_pkey" PRIMARY KEY ("user_id")
);

CREATE INDEX "soft_deactivations_realm_id_after_message_id_idx" ON "soft_deactivations"("realm_id", "after_message_id");
CREATE INDEX "soft_deactivations_after_message_id_idx" ON "soft_deactivations"("after_message_id");

ALTER TABLE "soft_deactivations" ADD CONSTRAINT "soft_deactivations_user_id_fkey"
    FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "soft_deactivations" ADD CONSTRAINT "soft_deactivations_realm_id_fkey"
    FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Messages that have moved to another channel since they were sent. All of their rows are written: their channel does
-- not say any more who received them.
CREATE TABLE "settled_messages" (
    "message_id" BIGINT NOT NULL,

    CONSTRAINT "settled_messages_pkey" PRIMARY KEY ("message_id")
);
