-- Messages that somebody who was away is to be mailed of, until the mail is written. Messages may go before: no foreign
-- key, as for the receipts themselves.
CREATE TABLE "missed_messages" (
    "user_id" INTEGER NOT NULL,
    "message_id" BIGINT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "missed_messages_pkey" PRIMARY KEY ("user_id", "message_id"),
    CONSTRAINT "missed_messages_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "missed_messages_due_at_idx" ON "missed_messages"("due_at");

-- Sending asks whether anybody wants mails of a channel, a topic or all channels. Hardly anybody does.
CREATE INDEX "subscriptions_mailed_idx" ON "subscriptions"("channel_id") WHERE "email_notifications";
CREATE INDEX "users_mailed_idx" ON "users"("realm_id") WHERE "settings" @> '{"enable_stream_email_notifications": true}';
CREATE INDEX "user_topics_followed_idx" ON "user_topics"("channel_id", "topic_key", "user_id") WHERE "visibility_policy" = 3;
