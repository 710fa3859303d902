-- What people let us have at Zoom, sealed, and who is on their way to let us have it: one at a time in a browser's session.
CREATE TABLE "zoom_tokens" (
    "user_id" INTEGER NOT NULL,
    "token_sealed" TEXT NOT NULL,

    CONSTRAINT "zoom_tokens_pkey" PRIMARY KEY ("user_id")
);

CREATE TABLE "zoom_authorizations" (
    "session_digest" TEXT NOT NULL,
    "state_digest" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "zoom_authorizations_pkey" PRIMARY KEY ("session_digest")
);

ALTER TABLE "zoom_tokens" ADD CONSTRAINT "zoom_tokens_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "zoom_authorizations" ADD CONSTRAINT "zoom_authorizations_session_digest_fkey" FOREIGN KEY ("session_digest") REFERENCES "sessions"("token_digest") ON DELETE CASCADE ON UPDATE CASCADE;
