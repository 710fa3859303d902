-- Records the subscriptions of active users as they stand, in batches that are committed: no reader or writer waits. One
-- statement, outside of a transaction; run again it goes on. A change that triggers record meanwhile sorts behind the row
-- of the fill, whichever was written first.
DO $$
DECLARE
    "next_id" INTEGER := (SELECT min("id") FROM "users");
    "last_id" INTEGER := (SELECT max("id") FROM "users");
    "step" CONSTANT INTEGER := 500;
BEGIN
    WHILE "next_id" <= "last_id" LOOP
        INSERT INTO "subscription_changes" ("user_id", "recipient_id", "message_id", "kind")
        SELECT s."user_id", r."id", 0, 'began'
        FROM "subscriptions" s
        JOIN "users" u ON u."id" = s."user_id" AND u."is_active"
        JOIN "recipients" r ON r."channel_id" = s."channel_id"
        WHERE s."is_active" AND s."user_id" >= "next_id" AND s."user_id" < "next_id" + "step" AND NOT EXISTS (
            SELECT FROM "subscription_changes" known
            WHERE known."user_id" = s."user_id" AND known."recipient_id" = r."id");
        COMMIT;
        "next_id" := "next_id" + "step";
    END LOOP;
END $$;
