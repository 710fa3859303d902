-- Words at which somebody wants to look up, and people whom somebody does not want to hear.
CREATE TABLE "alert_words" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "word" TEXT NOT NULL,
    "word_key" TEXT NOT NULL,

    CONSTRAINT "alert_words_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "muted_users" (
    "user_id" INTEGER NOT NULL,
    "muted_user_id" INTEGER NOT NULL,
    "date_muted" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "muted_users_pkey" PRIMARY KEY ("user_id","muted_user_id")
);

CREATE UNIQUE INDEX "alert_words_user_id_word_key_key" ON "alert_words"("user_id", "word_key");
CREATE INDEX "muted_users_muted_user_id_idx" ON "muted_users"("muted_user_id");

ALTER TABLE "alert_words" ADD CONSTRAINT "alert_words_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "muted_users" ADD CONSTRAINT "muted_users_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "muted_users" ADD CONSTRAINT "muted_users_muted_user_id_fkey" FOREIGN KEY ("muted_user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
