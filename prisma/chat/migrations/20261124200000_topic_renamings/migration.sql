-- A renaming of a whole topic is one row, and an update of the topic's row; messages show it when they are read. Changes
-- the catalogue alone: a constant default of a new column is not written to the rows.

-- "topic" of a message is its own spelling from now on; null where it is that of its topic. It holds until the topic
-- is renamed. "topic_since" is the last renaming of the topic before the message came to it.
ALTER TABLE "messages"
    ALTER COLUMN "topic" DROP NOT NULL,
    ALTER COLUMN "topic" DROP DEFAULT,
    ADD COLUMN "topic_since" BIGINT NOT NULL DEFAULT 0;

-- "membership_version" counts moves and deletions of messages of the topic; sends do not write it.
ALTER TABLE "topics"
    ADD COLUMN "last_renaming_id" BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN "membership_version" BIGINT NOT NULL DEFAULT 0;

CREATE TABLE "topic_renamings" (
    "id" BIGSERIAL NOT NULL,
    "topic_id" BIGINT NOT NULL,
    "previous_id" BIGINT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "renamed_at" TIMESTAMPTZ(3) NOT NULL,
    "topic_before" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "is_resolution" BOOLEAN NOT NULL,

    CONSTRAINT "topic_renamings_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "topic_renamings_topic_id_id_idx" ON "topic_renamings"("topic_id", "id");
ALTER TABLE "topic_renamings" ADD CONSTRAINT "topic_renamings_topic_id_fkey"
    FOREIGN KEY ("topic_id") REFERENCES "topics"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Entries of an edit history for the renamings of a topic after "since", newest first, for a message whose own spelling
-- was "own_topic". The first renaming replaced what the message showed.
CREATE FUNCTION "renamings_since"("of_topic_id" BIGINT, "since" BIGINT, "own_topic" TEXT, "most" INTEGER)
    RETURNS JSONB STABLE LANGUAGE sql AS $$
    SELECT jsonb_agg(jsonb_build_object('user_id', n."user_id", 'topic', n."topic",
        'prev_topic', CASE WHEN n."previous_id" = "since" THEN coalesce("own_topic", n."topic_before") ELSE n."topic_before" END,
        'timestamp', floor(extract(epoch FROM n."renamed_at"))::bigint) ORDER BY n."id" DESC)
    FROM (SELECT * FROM "topic_renamings" WHERE "topic_id" = "of_topic_id" AND "id" > "since"
        ORDER BY "id" DESC LIMIT "most") n
$$;

-- Time of the newest of these renamings that counts as a move.
CREATE FUNCTION "renamed_since"("of_topic_id" BIGINT, "since" BIGINT) RETURNS TIMESTAMPTZ STABLE LANGUAGE sql AS $$
    SELECT max("renamed_at") FROM "topic_renamings"
    WHERE "topic_id" = "of_topic_id" AND "id" > "since" AND NOT "is_resolution"
$$;

DROP FUNCTION "topic_of"(INTEGER, TEXT, TEXT);
CREATE FUNCTION "topic_of"("in_recipient_id" INTEGER, "in_topic_key" TEXT, "in_topic" TEXT)
    RETURNS TABLE ("topic_id" BIGINT, "topic_name" TEXT, "topic_since" BIGINT) LANGUAGE plpgsql AS $$
BEGIN
    LOOP
        RETURN QUERY SELECT t."id", t."topic", t."last_renaming_id" FROM "topics" t
            WHERE t."recipient_id" = "in_recipient_id" AND t."topic_key" = "in_topic_key";
        IF FOUND THEN RETURN; END IF;
        RETURN QUERY INSERT INTO "topics" AS t ("recipient_id", "topic_key", "topic")
            VALUES ("in_recipient_id", "in_topic_key", "in_topic") ON CONFLICT DO NOTHING
            RETURNING t."id", t."topic", t."last_renaming_id";
        IF FOUND THEN RETURN; END IF;
    END LOOP;
END $$;
