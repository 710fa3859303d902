-- Partial indexes for what few messages have, newest first: narrows by content, and by alert words.
CREATE INDEX "messages_has_link_idx" ON "messages"("id") WHERE "has_link";
CREATE INDEX "messages_has_attachment_idx" ON "messages"("id") WHERE "has_attachment";
CREATE INDEX "messages_has_image_idx" ON "messages"("id") WHERE "has_image";
CREATE INDEX "user_messages_alerted_idx" ON "user_messages"("user_id", "message_id") WHERE "flags" & 64 <> 0;
