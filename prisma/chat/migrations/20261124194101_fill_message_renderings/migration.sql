-- Copies renderings in batches, each committed: readers do not wait, an editor waits for one batch at most. One statement,
-- outside of a transaction; run again it goes on. Messages that are edited meanwhile have their rendering by the trigger.
DO $$
DECLARE
    "next_id" BIGINT := (SELECT min("message_id") FROM "message_texts" WHERE "rendered_version" = 0);
    "last_id" BIGINT := (SELECT max("message_id") FROM "message_texts");
    "step" CONSTANT BIGINT := 2000;
BEGIN
    WHILE "next_id" <= "last_id" LOOP
        UPDATE "message_texts" x SET "rendered_content" = m."rendered_content", "rendered_version" = m."rendered_version"
        FROM "messages" m
        WHERE m."id" = x."message_id" AND x."rendered_version" = 0
            AND x."message_id" >= "next_id" AND x."message_id" < "next_id" + "step"
            AND m."id" >= "next_id" AND m."id" < "next_id" + "step";
        COMMIT;
        "next_id" := "next_id" + "step";
    END LOOP;
END $$;
