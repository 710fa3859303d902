-- The rendered content stands beside the content: a move, a flag or a count reads and writes no text. The defaults mark
-- rows that are still to be filled, and change the catalogue alone: no renderer has the version 0.
ALTER TABLE "message_texts"
    ADD COLUMN "rendered_content" TEXT NOT NULL DEFAULT '',
    ADD COLUMN "rendered_version" INTEGER NOT NULL DEFAULT 0;

-- The topic is there already: the message refers to it.
CREATE OR REPLACE FUNCTION "add_message_text"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "message_texts" ("message_id", "content", "rendered_content", "rendered_version")
    VALUES (NEW."id", NEW."content", NEW."rendered_content", NEW."rendered_version");
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "change_message_text"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    UPDATE "message_texts" SET "content" = NEW."content", "rendered_content" = NEW."rendered_content",
        "rendered_version" = NEW."rendered_version"
    WHERE "message_id" = NEW."id";
    RETURN NULL;
END $$;
