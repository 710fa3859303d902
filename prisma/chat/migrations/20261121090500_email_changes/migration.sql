-- Addresses that people want to have, until they have shown that mail reaches them there. One wish a user.
CREATE TABLE "email_changes" (
    "user_id" INTEGER NOT NULL,
    "token_digest" TEXT NOT NULL,
    "new_email" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "email_changes_pkey" PRIMARY KEY ("user_id")
);

CREATE UNIQUE INDEX "email_changes_token_digest_key" ON "email_changes"("token_digest");

ALTER TABLE "email_changes" ADD CONSTRAINT "email_changes_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
