-- Search stands apart from the rows that a move changes: an UPDATE of a message writes into every index of its table, and
-- the two search indexes made moving 100,000 messages take four times as long as all others together. Triggers keep the
-- texts and the topics like the messages.
CREATE TABLE "message_texts" (
    "message_id" BIGINT NOT NULL,
    "content" TEXT NOT NULL,
    "search" TSVECTOR GENERATED ALWAYS AS ("search_vector"("content")) STORED,

    CONSTRAINT "message_texts_pkey" PRIMARY KEY ("message_id")
);

-- Topics by which messages are searched, in the spelling of the first message. A topic whose messages have left stays.
CREATE TABLE "topics" (
    "recipient_id" INTEGER NOT NULL,
    "topic_key" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "search" TSVECTOR GENERATED ALWAYS AS ("search_vector"("topic")) STORED,

    CONSTRAINT "topics_pkey" PRIMARY KEY ("recipient_id", "topic_key")
);

-- What a phrase is searched in, character by character.
CREATE FUNCTION "search_lower"("body" TEXT) RETURNS TEXT
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN lower("body" COLLATE "pg_c_utf8");

CREATE INDEX "topics_search_idx" ON "topics" USING GIN ("search");
CREATE INDEX "topics_search_lower_idx" ON "topics" USING GIN ("search_lower"("topic") gin_trgm_ops);

-- For each row: a transition table costs a send more than all of this.
CREATE FUNCTION "add_message_text"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "message_texts" ("message_id", "content") VALUES (NEW."id", NEW."content");
    IF NEW."topic_key" <> '' AND NOT EXISTS (
        SELECT FROM "topics" WHERE "recipient_id" = NEW."recipient_id" AND "topic_key" = NEW."topic_key") THEN
        INSERT INTO "topics" ("recipient_id", "topic_key", "topic")
        VALUES (NEW."recipient_id", NEW."topic_key", NEW."topic") ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$;

-- Of a message whose content is still to be copied, the row is made here.
CREATE FUNCTION "change_message_text"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "message_texts" ("message_id", "content") VALUES (NEW."id", NEW."content")
    ON CONFLICT ("message_id") DO UPDATE SET "content" = EXCLUDED."content";
    RETURN NULL;
END $$;

CREATE FUNCTION "add_topics"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "topics" ("recipient_id", "topic_key", "topic")
    SELECT DISTINCT ON (w."recipient_id", w."topic_key") w."recipient_id", w."topic_key", w."topic" FROM "written" w
    WHERE w."topic_key" <> '' AND NOT EXISTS (
        SELECT FROM "topics" t WHERE t."recipient_id" = w."recipient_id" AND t."topic_key" = w."topic_key")
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE FUNCTION "remove_message_texts"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM "message_texts" x USING "removed" WHERE x."message_id" = "removed"."id";
    RETURN NULL;
END $$;

CREATE TRIGGER "messages_add_text" AFTER INSERT ON "messages"
    FOR EACH ROW EXECUTE FUNCTION "add_message_text"();
CREATE TRIGGER "messages_change_text" AFTER UPDATE OF "content" ON "messages"
    FOR EACH ROW WHEN (NEW."content" IS DISTINCT FROM OLD."content") EXECUTE FUNCTION "change_message_text"();
CREATE TRIGGER "messages_add_topics" AFTER UPDATE ON "messages" REFERENCING NEW TABLE AS "written"
    FOR EACH STATEMENT EXECUTE FUNCTION "add_topics"();
CREATE TRIGGER "messages_remove_texts" AFTER DELETE ON "messages" REFERENCING OLD TABLE AS "removed"
    FOR EACH STATEMENT EXECUTE FUNCTION "remove_message_texts"();
