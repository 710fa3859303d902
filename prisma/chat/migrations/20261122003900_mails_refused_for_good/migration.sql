-- When a sweep last asked after a mail's job, so that sweeps go round and none waits behind others; and when a mail was
-- given up, so that nothing asks after it again.
ALTER TABLE "outgoing_mails" ADD COLUMN "swept_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
ALTER TABLE "outgoing_mails" ADD COLUMN "failed_at" TIMESTAMPTZ(3);
CREATE INDEX "outgoing_mails_swept_at_idx" ON "outgoing_mails"("swept_at");
