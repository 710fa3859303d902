-- Texts that somebody keeps for use in messages.
CREATE TABLE "saved_snippets" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "title" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "saved_snippets_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "saved_snippets_user_id_idx" ON "saved_snippets"("user_id");

ALTER TABLE "saved_snippets" ADD CONSTRAINT "saved_snippets_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
