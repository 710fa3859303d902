-- A conversation of any size in the first realm, for plans and benchmarks: everything follows from row numbers, so that
-- two databases of one size hold the same. Sizes are settings of the session:
--   seed.messages, seed.users, seed.channels, and seed.receivers of each message.
-- "common" stands in every second message, "scarce" in a thousand of them at most, "word0" to "word9999" in between.

INSERT INTO "users" ("realm_id", "delivery_email", "delivery_email_key", "full_name", "role")
SELECT (SELECT min("id") FROM "realms"), 'seed' || n || '@example.com', 'seed' || n || '@example.com', 'Seed ' || n, 400
FROM generate_series(1, current_setting('seed.users')::int) n;

INSERT INTO "channels" ("realm_id", "name", "name_key", "can_add_subscribers_group_id",
    "can_administer_channel_group_id", "can_create_topic_group_id", "can_delete_any_message_group_id",
    "can_delete_own_message_group_id", "can_move_messages_out_of_channel_group_id",
    "can_move_messages_within_channel_group_id", "can_remove_subscribers_group_id", "can_resolve_topics_group_id",
    "can_send_message_group_id", "can_subscribe_group_id")
SELECT c."realm_id", 'seed' || n, 'seed' || n, c."can_add_subscribers_group_id",
    c."can_administer_channel_group_id", c."can_create_topic_group_id", c."can_delete_any_message_group_id",
    c."can_delete_own_message_group_id", c."can_move_messages_out_of_channel_group_id",
    c."can_move_messages_within_channel_group_id", c."can_remove_subscribers_group_id",
    c."can_resolve_topics_group_id", c."can_send_message_group_id", c."can_subscribe_group_id"
FROM generate_series(0, current_setting('seed.channels')::int - 1) n,
    (SELECT * FROM "channels" WHERE NOT "is_private" ORDER BY "id" LIMIT 1) c;

INSERT INTO "recipients" ("realm_id", "channel_id")
SELECT "realm_id", "id" FROM "channels" WHERE "name" ~ '^seed\d+$' ORDER BY "id";

INSERT INTO "subscriptions" ("user_id", "channel_id", "color")
SELECT u."id", c."id", '#76ce90'
FROM "users" u, "channels" c
WHERE u."full_name" LIKE 'Seed %' AND c."name" ~ '^seed\d+$' AND (u."id" + c."id") % 5 = 0;

INSERT INTO "clients" ("name") VALUES ('seed') ON CONFLICT DO NOTHING;

INSERT INTO "topics" ("recipient_id", "topic_key", "topic")
SELECT r."id", 'topic ' || n, 'topic ' || n
FROM generate_series(0, 49) n, "recipients" r JOIN "channels" c ON c."id" = r."channel_id" WHERE c."name" ~ '^seed\d+$';

INSERT INTO "messages" ("realm_id", "sender_id", "recipient_id", "client_id", "topic_id", "has_link",
    "has_attachment", "has_image", "date_sent")
SELECT first."realm_id", first."user_id" + n * 31 % size."users", first."recipient_id" + n % size."channels",
    first."client_id", t."id", n % 20 = 0, n % 500 = 0, n % 400 = 0,
    now() - (size."messages" - n) * interval '10 seconds'
FROM (SELECT current_setting('seed.messages')::int AS "messages", current_setting('seed.users')::int AS "users",
        current_setting('seed.channels')::int AS "channels") size,
    (SELECT min(u."realm_id") AS "realm_id", min(u."id") AS "user_id",
        (SELECT min(r."id") FROM "recipients" r JOIN "channels" c ON c."id" = r."channel_id" WHERE c."name" ~ '^seed\d+$')
            AS "recipient_id",
        (SELECT "id" FROM "clients" WHERE "name" = 'seed') AS "client_id"
     FROM "users" u WHERE u."full_name" LIKE 'Seed %') first,
    generate_series(0, current_setting('seed.messages')::int - 1) n,
    "topics" t
WHERE t."recipient_id" = first."recipient_id" + n % size."channels" AND t."topic_key" = 'topic ' || n / size."channels" % 50
ORDER BY n;

INSERT INTO "message_texts" ("message_id", "content", "rendered_content", "rendered_version")
SELECT m."id", written."text", '<p>' || written."text" || '</p>', 1
FROM (SELECT "id", (row_number() OVER (ORDER BY "id") - 1)::int AS "n" FROM "messages"
      WHERE "client_id" = (SELECT "id" FROM "clients" WHERE "name" = 'seed')) m,
    LATERAL (SELECT concat_ws(' ', 'message', n, CASE WHEN n % 2 = 0 THEN 'common' END,
        CASE WHEN n % greatest(current_setting('seed.messages')::int / 1000, 100) = 7 THEN 'scarce' END,
        'word' || n % 10000, 'word' || n * 7 % 3000, 'word' || n * 13 % 500, 'word' || n * 17 % 100, 'and so on') AS "text"
    ) written
ORDER BY m."id";

-- Each message in the histories of some, the newest of every hundred unread.
INSERT INTO "user_messages" ("user_id", "message_id", "flags")
SELECT first."user_id" + (m."id" * 13 + k * 997) % current_setting('seed.users')::int, m."id",
    CASE WHEN m."id" > first."last_id" - current_setting('seed.messages')::int / 100 THEN 0 ELSE 1 END
    | CASE WHEN m."id" % 101 = 0 THEN 2 ELSE 0 END | CASE WHEN m."id" % 51 = 0 THEN 8 ELSE 0 END
FROM (SELECT min("id") AS "user_id", (SELECT max("id") FROM "messages") AS "last_id" FROM "users"
        WHERE "full_name" LIKE 'Seed %') first,
    "messages" m, generate_series(0, current_setting('seed.receivers')::int - 1) k
WHERE m."client_id" = (SELECT "id" FROM "clients" WHERE "name" = 'seed')
ORDER BY 1, 2;

ANALYZE "users", "channels", "recipients", "subscriptions", "messages", "message_texts", "user_messages";
