-- Mails that were delivered to a channel, as digests of address and Message-ID, so that a repetition makes no message.
CREATE TABLE "delivered_mails" (
    "digest" TEXT NOT NULL,
    "delivered_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "delivered_mails_pkey" PRIMARY KEY ("digest")
);

CREATE INDEX "delivered_mails_delivered_at_idx" ON "delivered_mails"("delivered_at");
