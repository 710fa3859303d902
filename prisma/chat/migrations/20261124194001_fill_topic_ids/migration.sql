-- Gives ids to topics in batches, each committed. One statement, outside of a transaction; run again it goes on.
DO $$
BEGIN
    LOOP
        UPDATE "topics" SET "id" = nextval('topics_id_seq')
        WHERE ctid = ANY (ARRAY(SELECT ctid FROM "topics" WHERE "id" IS NULL LIMIT 20000));
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
END $$;
