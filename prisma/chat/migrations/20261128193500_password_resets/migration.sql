-- Links by mail with which users choose a new password. One link per user.
CREATE TABLE "password_resets" (
    "user_id" INTEGER NOT NULL,
    "token_digest" TEXT NOT NULL,
    "account_digest" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "password_resets_pkey" PRIMARY KEY ("user_id")
);

CREATE UNIQUE INDEX "password_resets_token_digest_key" ON "password_resets"("token_digest");

ALTER TABLE "password_resets" ADD CONSTRAINT "password_resets_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
