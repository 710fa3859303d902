-- Messages that somebody has begun. `to_ids` is the channel, or the people, that the message is for.
CREATE TABLE "drafts" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "type" TEXT NOT NULL,
    "to_ids" INTEGER[] NOT NULL,
    "topic" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "last_edited_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "drafts_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "drafts_type_check" CHECK ("type" IN ('', 'stream', 'private'))
);

CREATE INDEX "drafts_user_id_last_edited_at_idx" ON "drafts"("user_id", "last_edited_at");

ALTER TABLE "drafts" ADD CONSTRAINT "drafts_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
