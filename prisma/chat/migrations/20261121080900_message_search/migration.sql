-- Search over messages: words by full text, parts of words by trigrams and by pairs of letters.
--
-- Nothing here depends on the locale of the database: letters and their case are those of the built-in collation
-- "pg_c_utf8" (PostgreSQL 17 or later). The extension pg_trgm comes with PostgreSQL; whoever owns a database may add it.
CREATE EXTENSION IF NOT EXISTS "pg_trgm";

-- English stems without stop words: whoever looks for "to be or not to be" wants to find it.
CREATE TEXT SEARCH DICTIONARY "chat_stem" (TEMPLATE = pg_catalog.snowball, LANGUAGE = english);
CREATE TEXT SEARCH CONFIGURATION "chat_search" (PARSER = pg_catalog."default");
ALTER TEXT SEARCH CONFIGURATION "chat_search" ADD MAPPING FOR asciiword, word WITH "chat_stem";
ALTER TEXT SEARCH CONFIGURATION "chat_search" ADD MAPPING FOR numword, uint, sfloat WITH pg_catalog.simple;

-- Letters and digits in lower case, with a space for whatever stands between them: the parser would make one word of
-- an address or a path, whose parts nobody could find.
CREATE FUNCTION "search_plain"("body" TEXT) RETURNS TEXT
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(lower("body" COLLATE "pg_c_utf8"), '[^[:alnum:]]+', ' ', 'g');

-- Overlapping pairs of neighbouring letters outside ASCII, each behind a 0 that no word has, and the last letter of a
-- run alone: pairs that begin at the first letter of each run, then those that begin at the second. Scripts without
-- spaces (Han, kana, Hangul, Thai, Lao, Khmer, Burmese) are found by them, and parts of words in every other script,
-- of which trigrams know nothing in databases of the C locale.
CREATE FUNCTION "search_pairs"("plain" TEXT) RETURNS TEXT
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN octet_length("plain") = length("plain") THEN ''
    ELSE regexp_replace(
        regexp_replace("plain", '[\u0001-\u007f]+', ' ', 'g') || ' '
        || regexp_replace(regexp_replace("plain", '[\u0001-\u007f]+', ' ', 'g'), '(^| )[^ ]', ' ', 'g'),
        '([^ ]{1,2})', ' 0\1', 'g')
    END;

-- The words of a text, without the runs of scripts that have no spaces.
CREATE FUNCTION "search_words"("plain" TEXT) RETURNS TEXT
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN octet_length("plain") = length("plain") THEN "plain"
    ELSE regexp_replace("plain",
        '[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]+',
        ' ', 'g')
    END;

-- What a message can be found by.
CREATE FUNCTION "search_vector"("body" TEXT) RETURNS TSVECTOR
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN strip(to_tsvector('chat_search',
    "search_words"("search_plain"("body")) || ' ' || "search_pairs"("search_plain"("body"))));

-- What a phrase is looked for in, character by character.
CREATE FUNCTION "search_text"("topic" TEXT, "content" TEXT) RETURNS TEXT
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN lower(("topic" || E'\n' || "content") COLLATE "pg_c_utf8");

ALTER TABLE "messages" DROP COLUMN "search";
ALTER TABLE "messages"
    ADD COLUMN "search" TSVECTOR GENERATED ALWAYS AS ("search_vector"("topic" || ' ' || "content")) STORED;
CREATE INDEX "messages_search_idx" ON "messages" USING GIN ("search");
CREATE INDEX "messages_search_text_idx" ON "messages" USING GIN ("search_text"("topic", "content") gin_trgm_ops);
