-- How many active users subscribe to a channel: the sum of n over the rows of the channel. Triggers only insert rows, so
-- that neither writers nor senders, who lock the row of the channel, wait for a counter; a background task folds the rows
-- of a channel into one. Whoever changes subscriptions locks the users FOR SHARE or the population, and whoever changes
-- users.is_active locks both exclusively: the two never run at the same time for one user.
CREATE TABLE "subscriber_counts" (
    "id" BIGSERIAL NOT NULL,
    "channel_id" INTEGER NOT NULL,
    "n" BIGINT NOT NULL,

    CONSTRAINT "subscriber_counts_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "subscriber_counts_channel_id_idx" ON "subscriber_counts"("channel_id");

CREATE FUNCTION "count_subscriptions_added"() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO "subscriber_counts" ("channel_id", "n")
    SELECT s."channel_id", count(*) FROM "added" s JOIN "users" u ON u."id" = s."user_id" AND u."is_active"
    WHERE s."is_active" GROUP BY s."channel_id";
    RETURN NULL;
END $$;

-- Of a channel that is gone nothing has to be known.
CREATE FUNCTION "count_subscriptions_removed"() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO "subscriber_counts" ("channel_id", "n")
    SELECT s."channel_id", -count(*) FROM "removed" s JOIN "users" u ON u."id" = s."user_id" AND u."is_active"
    JOIN "channels" c ON c."id" = s."channel_id" WHERE s."is_active" GROUP BY s."channel_id";
    RETURN NULL;
END $$;

CREATE FUNCTION "count_subscriptions_changed"() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO "subscriber_counts" ("channel_id", "n")
    SELECT s."channel_id", sum(s."n") FROM (
        SELECT "user_id", "channel_id", -1 AS "n" FROM "before" WHERE "is_active"
        UNION ALL SELECT "user_id", "channel_id", 1 FROM "after" WHERE "is_active") s
    JOIN "users" u ON u."id" = s."user_id" AND u."is_active"
    GROUP BY s."channel_id" HAVING sum(s."n") <> 0;
    RETURN NULL;
END $$;

CREATE FUNCTION "count_subscriber_activation"() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO "subscriber_counts" ("channel_id", "n")
    SELECT s."channel_id", CASE WHEN NEW."is_active" THEN 1 ELSE -1 END
    FROM "subscriptions" s WHERE s."user_id" = NEW."id" AND s."is_active";
    RETURN NULL;
END $$;

-- Before its subscriptions go with it, which then find no user.
CREATE FUNCTION "count_subscriber_removal"() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO "subscriber_counts" ("channel_id", "n")
    SELECT s."channel_id", -1 FROM "subscriptions" s WHERE s."user_id" = OLD."id" AND s."is_active";
    RETURN OLD;
END $$;

CREATE FUNCTION "forget_subscriber_count"() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    DELETE FROM "subscriber_counts" WHERE "channel_id" = OLD."id";
    RETURN NULL;
END $$;

CREATE TRIGGER "subscriptions_added" AFTER INSERT ON "subscriptions" REFERENCING NEW TABLE AS "added"
    FOR EACH STATEMENT EXECUTE FUNCTION "count_subscriptions_added"();
CREATE TRIGGER "subscriptions_removed" AFTER DELETE ON "subscriptions" REFERENCING OLD TABLE AS "removed"
    FOR EACH STATEMENT EXECUTE FUNCTION "count_subscriptions_removed"();
CREATE TRIGGER "subscriptions_changed" AFTER UPDATE ON "subscriptions"
    REFERENCING OLD TABLE AS "before" NEW TABLE AS "after"
    FOR EACH STATEMENT EXECUTE FUNCTION "count_subscriptions_changed"();
CREATE TRIGGER "subscriber_activation" AFTER UPDATE OF "is_active" ON "users"
    FOR EACH ROW WHEN (OLD."is_active" <> NEW."is_active") EXECUTE FUNCTION "count_subscriber_activation"();
CREATE TRIGGER "subscriber_removal" BEFORE DELETE ON "users"
    FOR EACH ROW WHEN (OLD."is_active") EXECUTE FUNCTION "count_subscriber_removal"();
CREATE TRIGGER "channels_removed" AFTER DELETE ON "channels"
    FOR EACH ROW EXECUTE FUNCTION "forget_subscriber_count"();

INSERT INTO "subscriber_counts" ("channel_id", "n")
SELECT s."channel_id", count(*) FROM "subscriptions" s JOIN "users" u ON u."id" = s."user_id"
WHERE s."is_active" AND u."is_active" GROUP BY s."channel_id";
