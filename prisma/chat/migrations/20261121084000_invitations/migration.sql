-- Invitations to become a member: to one address, or a link that many may use. A row with a parent is somebody who came
-- by a link and has yet to confirm an address.
CREATE TABLE "invitations" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "inviter_id" INTEGER NOT NULL,
    "parent_id" INTEGER,
    "email" TEXT,
    "email_key" TEXT,
    "invited_as" INTEGER NOT NULL,
    "channel_ids" INTEGER[] NOT NULL,
    "group_ids" INTEGER[] NOT NULL,
    "includes_default_channels" BOOLEAN NOT NULL,
    "notifies_inviter" BOOLEAN NOT NULL,
    "welcome_text" TEXT,
    "token_digest" TEXT NOT NULL,
    "token_sealed" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "invited_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "invitations_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "invitations_token_digest_key" ON "invitations"("token_digest");

CREATE INDEX "invitations_realm_id_invited_at_idx" ON "invitations"("realm_id", "invited_at");

CREATE INDEX "invitations_inviter_id_idx" ON "invitations"("inviter_id");

CREATE INDEX "invitations_parent_id_idx" ON "invitations"("parent_id");

ALTER TABLE "invitations" ADD CONSTRAINT "invitations_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "invitations" ADD CONSTRAINT "invitations_inviter_id_fkey" FOREIGN KEY ("inviter_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "invitations" ADD CONSTRAINT "invitations_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "invitations"("id") ON DELETE CASCADE ON UPDATE CASCADE;
