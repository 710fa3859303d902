-- Contains the columns that select the recipients of a message, so that a send reads no subscriptions from the table.
CREATE INDEX CONCURRENTLY "subscriptions_channel_id_user_id_recipient_idx" ON "subscriptions"("channel_id", "user_id")
    INCLUDE ("is_active", "desktop_notifications", "audible_notifications", "push_notifications", "email_notifications");
