-- Messages that the server sends at a later time, and reminders of messages. `to_ids` is the channel, or the users except
-- the author. `attempt_at` is the time of the next attempt, null after a failure.
CREATE TABLE "scheduled_messages" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "type" TEXT NOT NULL,
    "to_ids" INTEGER[] NOT NULL,
    "topic" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "rendered_content" TEXT NOT NULL,
    "client" TEXT NOT NULL,
    "read_by_sender" BOOLEAN NOT NULL,
    "deliver_at" TIMESTAMPTZ(3) NOT NULL,
    "attempt_at" TIMESTAMPTZ(3),
    "failure" TEXT,
    "reminder_message_id" BIGINT,
    "reminder_note" TEXT,

    CONSTRAINT "scheduled_messages_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "scheduled_messages_type_check" CHECK ("type" IN ('stream', 'private', 'reminder')),
    CONSTRAINT "scheduled_messages_reminder_check" CHECK (("type" = 'reminder') = ("reminder_message_id" IS NOT NULL)),
    CONSTRAINT "scheduled_messages_failure_check" CHECK (("attempt_at" IS NULL) = ("failure" IS NOT NULL))
);

CREATE INDEX "scheduled_messages_user_id_deliver_at_idx" ON "scheduled_messages"("user_id", "deliver_at");

CREATE INDEX "scheduled_messages_attempt_at_id_idx" ON "scheduled_messages"("attempt_at", "id");

ALTER TABLE "scheduled_messages" ADD CONSTRAINT "scheduled_messages_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
