-- Users connect accounts at several video-call providers.
ALTER TABLE "zoom_tokens" RENAME TO "video_call_tokens";
ALTER TABLE "video_call_tokens" ADD COLUMN "provider" TEXT NOT NULL DEFAULT 'zoom';
ALTER TABLE "video_call_tokens" ALTER COLUMN "provider" DROP DEFAULT;
ALTER TABLE "video_call_tokens" DROP CONSTRAINT "zoom_tokens_pkey";
ALTER TABLE "video_call_tokens" ADD CONSTRAINT "video_call_tokens_pkey" PRIMARY KEY ("user_id", "provider");
ALTER TABLE "video_call_tokens" RENAME CONSTRAINT "zoom_tokens_user_id_fkey" TO "video_call_tokens_user_id_fkey";

ALTER TABLE "zoom_authorizations" RENAME TO "video_call_authorizations";
ALTER TABLE "video_call_authorizations" ADD COLUMN "provider" TEXT NOT NULL DEFAULT 'zoom';
ALTER TABLE "video_call_authorizations" ALTER COLUMN "provider" DROP DEFAULT;
ALTER TABLE "video_call_authorizations" DROP CONSTRAINT "zoom_authorizations_pkey";
ALTER TABLE "video_call_authorizations" ADD CONSTRAINT "video_call_authorizations_pkey" PRIMARY KEY ("session_digest", "provider");
ALTER TABLE "video_call_authorizations" RENAME CONSTRAINT "zoom_authorizations_session_digest_fkey" TO "video_call_authorizations_session_digest_fkey";
