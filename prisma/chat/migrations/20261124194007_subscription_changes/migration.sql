-- Times at which a user begins or ends to receive the messages of a channel, as ids of messages: the change applies to
-- messages from message_id on. Triggers of subscriptions and of users write the rows, so no writer can forget them.
-- Writers of subscriptions lock the channel's recipient row, which senders share, so that no message of the channel is
-- sent while its subscriptions change: ids up to the newest one given out are before the change, later ones after it.
-- Rows of one user and recipient are ordered by (message_id, id); a row of the fill has message_id 0.
CREATE TABLE "subscription_changes" (
    "id" BIGSERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "recipient_id" INTEGER NOT NULL,
    "message_id" BIGINT NOT NULL,
    -- began; ended: the user unsubscribed, and earlier messages are marked as read; paused: the account was deactivated.
    "kind" TEXT NOT NULL CHECK ("kind" IN ('began', 'ended', 'paused')),
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "subscription_changes_pkey" PRIMARY KEY ("user_id", "recipient_id", "message_id", "id")
);

CREATE INDEX "subscription_changes_recipient_id_user_id_message_id_id_idx"
    ON "subscription_changes"("recipient_id", "user_id", "message_id", "id");

ALTER TABLE "subscription_changes" ADD CONSTRAINT "subscription_changes_user_id_fkey"
    FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "subscription_changes" ADD CONSTRAINT "subscription_changes_recipient_id_fkey"
    FOREIGN KEY ("recipient_id") REFERENCES "recipients"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The id that the next message gets. Ids that transactions under way have taken are below it.
CREATE FUNCTION "next_message_id"() RETURNS BIGINT LANGUAGE sql VOLATILE AS $$
    SELECT "last_value" + "is_called"::int FROM "messages_id_seq"
$$;

CREATE FUNCTION "record_subscriptions_added"() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO "subscription_changes" ("user_id", "recipient_id", "message_id", "kind")
    SELECT s."user_id", r."id", next."id", 'began'
    FROM (SELECT "next_message_id"() AS "id") next, "added" s
    JOIN "recipients" r ON r."channel_id" = s."channel_id"
    JOIN "users" u ON u."id" = s."user_id" AND u."is_active"
    WHERE s."is_active" ORDER BY s."user_id";
    RETURN NULL;
END $$;

-- Of a user who is deleted, or a channel, nothing has to be known.
CREATE FUNCTION "record_subscriptions_removed"() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO "subscription_changes" ("user_id", "recipient_id", "message_id", "kind")
    SELECT s."user_id", r."id", next."id", 'ended'
    FROM (SELECT "next_message_id"() AS "id") next, "removed" s
    JOIN "recipients" r ON r."channel_id" = s."channel_id"
    JOIN "users" u ON u."id" = s."user_id"
    WHERE s."is_active" ORDER BY s."user_id";
    RETURN NULL;
END $$;

CREATE FUNCTION "record_subscriptions_changed"() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO "subscription_changes" ("user_id", "recipient_id", "message_id", "kind")
    SELECT a."user_id", r."id", next."id", CASE WHEN a."is_active" THEN 'began' ELSE 'ended' END
    FROM (SELECT "next_message_id"() AS "id") next, "after" a
    JOIN "before" b ON b."user_id" = a."user_id" AND b."channel_id" = a."channel_id" AND b."is_active" <> a."is_active"
    JOIN "recipients" r ON r."channel_id" = a."channel_id"
    JOIN "users" u ON u."id" = a."user_id" AND (u."is_active" OR NOT a."is_active") ORDER BY a."user_id";
    RETURN NULL;
END $$;

CREATE FUNCTION "record_subscriber_activation"() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO "subscription_changes" ("user_id", "recipient_id", "message_id", "kind")
    SELECT s."user_id", r."id", next."id", CASE WHEN NEW."is_active" THEN 'began' ELSE 'paused' END
    FROM (SELECT "next_message_id"() AS "id") next, "subscriptions" s
    JOIN "recipients" r ON r."channel_id" = s."channel_id"
    WHERE s."user_id" = NEW."id" AND s."is_active" ORDER BY r."id";
    RETURN NULL;
END $$;

CREATE TRIGGER "subscription_changes_added" AFTER INSERT ON "subscriptions" REFERENCING NEW TABLE AS "added"
    FOR EACH STATEMENT EXECUTE FUNCTION "record_subscriptions_added"();
CREATE TRIGGER "subscription_changes_removed" AFTER DELETE ON "subscriptions" REFERENCING OLD TABLE AS "removed"
    FOR EACH STATEMENT EXECUTE FUNCTION "record_subscriptions_removed"();
CREATE TRIGGER "subscription_changes_changed" AFTER UPDATE ON "subscriptions"
    REFERENCING OLD TABLE AS "before" NEW TABLE AS "after"
    FOR EACH STATEMENT EXECUTE FUNCTION "record_subscriptions_changed"();
CREATE TRIGGER "subscription_changes_activation" AFTER UPDATE OF "is_active" ON "users"
    FOR EACH ROW WHEN (OLD."is_active" <> NEW."is_active") EXECUTE FUNCTION "record_subscriber_activation"();
