-- Sets the topics of messages in batches, each committed: readers do not wait, a writer waits for one batch at most. One
-- statement, outside of a transaction; run again it goes on. Messages that are written meanwhile have theirs by the
-- triggers.
DO $$
DECLARE
    "next_id" BIGINT := (SELECT min("id") FROM "messages");
    "last_id" BIGINT := (SELECT max("id") FROM "messages");
    "step" CONSTANT BIGINT := 2000;
BEGIN
    WHILE "next_id" <= "last_id" LOOP
        INSERT INTO "topics" ("recipient_id", "topic_key", "topic")
        SELECT DISTINCT ON (m."recipient_id", m."topic_key") m."recipient_id", m."topic_key", m."topic"
        FROM "messages" m JOIN "recipients" r ON r."id" = m."recipient_id" AND r."channel_id" IS NOT NULL
        WHERE m."id" >= "next_id" AND m."id" < "next_id" + "step" AND m."topic_id" IS NULL AND NOT EXISTS (
            SELECT FROM "topics" t WHERE t."recipient_id" = m."recipient_id" AND t."topic_key" = m."topic_key")
        ON CONFLICT DO NOTHING;
        WITH "batch" AS (
            SELECT "id" FROM "messages"
            WHERE "id" >= "next_id" AND "id" < "next_id" + "step" AND "topic_id" IS NULL ORDER BY "id" FOR NO KEY UPDATE
        )
        UPDATE "messages" m SET "topic_id" = t."id" FROM "batch", "topics" t
        WHERE m."id" = "batch"."id" AND t."recipient_id" = m."recipient_id" AND t."topic_key" = m."topic_key"
            AND EXISTS (SELECT FROM "recipients" r WHERE r."id" = m."recipient_id" AND r."channel_id" IS NOT NULL);
        COMMIT;
        "next_id" := "next_id" + "step";
    END LOOP;
END $$;
