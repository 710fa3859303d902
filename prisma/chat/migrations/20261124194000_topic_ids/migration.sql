-- Messages of channels refer to the row of their topic by id. This changes the catalogue alone; rows that are there get
-- their ids by later migrations, new ones by the triggers.
CREATE SEQUENCE "topics_id_seq" AS BIGINT;
ALTER TABLE "topics" ADD COLUMN "id" BIGINT;
ALTER TABLE "topics" ALTER COLUMN "id" SET DEFAULT nextval('topics_id_seq');
ALTER SEQUENCE "topics_id_seq" OWNED BY "topics"."id";
ALTER TABLE "messages" ADD COLUMN "topic_id" BIGINT;

-- Returns the topic of a key, which it adds when there is none. Each statement of the function sees what was committed
-- before it, so that of two processes that add the same topic the second finds the row of the first. A topic that exists
-- is neither written nor locked.
CREATE FUNCTION "topic_of"("in_recipient_id" INTEGER, "in_topic_key" TEXT, "in_topic" TEXT)
    RETURNS TABLE ("topic_id" BIGINT, "topic_name" TEXT) LANGUAGE plpgsql AS $$
BEGIN
    LOOP
        RETURN QUERY SELECT t."id", t."topic" FROM "topics" t
            WHERE t."recipient_id" = "in_recipient_id" AND t."topic_key" = "in_topic_key";
        IF FOUND THEN RETURN; END IF;
        RETURN QUERY INSERT INTO "topics" AS t ("recipient_id", "topic_key", "topic")
            VALUES ("in_recipient_id", "in_topic_key", "in_topic") ON CONFLICT DO NOTHING RETURNING t."id", t."topic";
        IF FOUND THEN RETURN; END IF;
    END LOOP;
END $$;

CREATE FUNCTION "set_topic_id"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM "recipients" WHERE "id" = NEW."recipient_id" AND "channel_id" IS NOT NULL) THEN
        SELECT t."topic_id" INTO NEW."topic_id" FROM "topic_of"(NEW."recipient_id", NEW."topic_key", NEW."topic") t;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER "messages_set_topic_id" BEFORE INSERT ON "messages"
    FOR EACH ROW WHEN (NEW."topic_id" IS NULL) EXECUTE FUNCTION "set_topic_id"();
CREATE TRIGGER "messages_change_topic_id" BEFORE UPDATE OF "recipient_id", "topic_key" ON "messages"
    FOR EACH ROW WHEN (NEW."recipient_id" <> OLD."recipient_id" OR NEW."topic_key" <> OLD."topic_key")
    EXECUTE FUNCTION "set_topic_id"();
