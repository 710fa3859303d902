-- Unread mentions of a user (docs/contract/chat.md 3.2), of which a registration reads the flags.
CREATE INDEX CONCURRENTLY "user_messages_unread_mentioned_idx" ON "user_messages"("user_id", "message_id")
    WHERE "flags" & 1 = 0 AND "flags" & 312 <> 0;
