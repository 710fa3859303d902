-- Calls of bots' services that are committed and not yet made: the truth behind the jobs that make them.
CREATE TABLE "bot_calls" (
    "id" BIGINT NOT NULL,
    "bot_id" INTEGER NOT NULL,
    "trigger" TEXT NOT NULL,
    "message" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "bot_calls_pkey" PRIMARY KEY ("id")
);
