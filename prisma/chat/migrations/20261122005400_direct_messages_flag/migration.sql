-- Direct messages are few among what somebody received: a flag of their own finds them without reading the rest.
UPDATE "user_messages" um SET "flags" = um."flags" | 512
FROM "messages" m JOIN "recipients" r ON r."id" = m."recipient_id"
WHERE m."id" = um."message_id" AND r."channel_id" IS NULL AND um."flags" & 512 = 0;

CREATE INDEX "user_messages_direct_idx" ON "user_messages"("user_id", "message_id") WHERE "flags" & 512 <> 0;
