-- Copies the texts of messages in batches, each committed: no reader or writer waits. One statement, outside of a
-- transaction; run again it goes on. Messages that are written meanwhile have their texts by the triggers.
DO $$
DECLARE
    "next_id" BIGINT := (SELECT min("id") FROM "messages");
    "last_id" BIGINT := (SELECT max("id") FROM "messages");
    "step" CONSTANT BIGINT := 10000;
BEGIN
    WHILE "next_id" <= "last_id" LOOP
        INSERT INTO "message_texts" ("message_id", "content")
        SELECT "id", "content" FROM "messages" WHERE "id" >= "next_id" AND "id" < "next_id" + "step"
        ON CONFLICT DO NOTHING;
        INSERT INTO "topics" ("recipient_id", "topic_key", "topic")
        SELECT DISTINCT ON (m."recipient_id", m."topic_key") m."recipient_id", m."topic_key", m."topic" FROM "messages" m
        WHERE m."id" >= "next_id" AND m."id" < "next_id" + "step" AND m."topic_key" <> '' AND NOT EXISTS (
            SELECT FROM "topics" t WHERE t."recipient_id" = m."recipient_id" AND t."topic_key" = m."topic_key")
        ON CONFLICT DO NOTHING;
        COMMIT;
        "next_id" := "next_id" + "step";
    END LOOP;
    -- Of messages that were deleted while they were copied.
    DELETE FROM "message_texts" x WHERE NOT EXISTS (SELECT FROM "messages" m WHERE m."id" = x."message_id");
END $$;
