-- Moves of more messages than one transaction changes: each lasts from the request until its last batch. Any process
-- finishes one whose process has died.
CREATE TABLE "message_moves" (
    "id" BIGSERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "actor_id" INTEGER NOT NULL,
    "message_id" BIGINT NOT NULL,
    "from_channel_id" INTEGER NOT NULL,
    "from_topic_key" TEXT NOT NULL,
    "from_topic" TEXT NOT NULL,
    "to_channel_id" INTEGER NOT NULL,
    "to_topic_key" TEXT NOT NULL,
    "to_topic" TEXT NOT NULL,
    "propagate_mode" TEXT NOT NULL,
    "resolution" TEXT,
    "tells_old_thread" BOOLEAN NOT NULL,
    "tells_new_thread" BOOLEAN NOT NULL,
    "edited_at" TIMESTAMPTZ(3) NOT NULL,
    "last_message_id" BIGINT NOT NULL,
    "moved_count" INTEGER NOT NULL DEFAULT 0,
    "advanced_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "message_moves_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "message_moves_propagate_mode_check" CHECK ("propagate_mode" IN ('change_later', 'change_all')),
    CONSTRAINT "message_moves_resolution_check" CHECK ("resolution" IN ('resolved', 'unresolved'))
);

-- One move at a time takes messages out of a topic.
CREATE UNIQUE INDEX "message_moves_from_channel_id_from_topic_key_key"
    ON "message_moves"("from_channel_id", "from_topic_key");
