-- The tables of the chat service: one realm and its people, groups, channels and messages.
--
-- Columns that end in _key hold the lower-cased form of their neighbour, made by the application
-- (Unicode, independent of the database's collation), and carry the case-insensitive uniqueness.

CREATE TABLE "realms" (
    "id" SERIAL NOT NULL,
    "string_id" TEXT NOT NULL,
    "host" TEXT,
    "fake_email_domain" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deactivated" BOOLEAN NOT NULL DEFAULT false,
    "settings" JSONB NOT NULL DEFAULT '{}',
    "user_settings_defaults" JSONB NOT NULL DEFAULT '{}',
    "new_stream_announcements_channel_id" INTEGER,
    "signup_announcements_channel_id" INTEGER,
    "zulip_update_announcements_channel_id" INTEGER,
    "moderation_request_channel_id" INTEGER,

    CONSTRAINT "realms_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "realm_permissions" (
    "realm_id" INTEGER NOT NULL,
    "setting" TEXT NOT NULL,
    "group_id" INTEGER NOT NULL,

    CONSTRAINT "realm_permissions_pkey" PRIMARY KEY ("realm_id","setting")
);

CREATE TABLE "users" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "delivery_email" TEXT NOT NULL,
    "delivery_email_key" TEXT NOT NULL,
    "full_name" TEXT NOT NULL,
    "role" INTEGER NOT NULL,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "is_deleted" BOOLEAN NOT NULL DEFAULT false,
    "is_imported_stub" BOOLEAN NOT NULL DEFAULT false,
    "is_system_bot" BOOLEAN NOT NULL DEFAULT false,
    "bot_type" INTEGER,
    "bot_owner_id" INTEGER,
    "default_sending_channel_id" INTEGER,
    "default_events_register_channel_id" INTEGER,
    "default_all_public_channels" BOOLEAN NOT NULL DEFAULT false,
    "avatar_source" TEXT NOT NULL DEFAULT 'G',
    "avatar_version" INTEGER NOT NULL DEFAULT 1,
    "timezone" TEXT NOT NULL DEFAULT '',
    "email_address_visibility" INTEGER NOT NULL DEFAULT 1,
    "settings" JSONB NOT NULL DEFAULT '{}',
    "password_hash" TEXT,
    "api_key_sealed" TEXT,
    "api_key_digest" TEXT,
    "api_key_pepper_id" INTEGER,
    "can_create_users" BOOLEAN NOT NULL DEFAULT false,
    "can_change_user_emails" BOOLEAN NOT NULL DEFAULT false,
    "can_forge_sender" BOOLEAN NOT NULL DEFAULT false,
    "date_joined" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_login_at" TIMESTAMPTZ(3),

    CONSTRAINT "users_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "users_role_check" CHECK ("role" IN (100, 200, 300, 400, 600)),
    CONSTRAINT "users_bot_type_check" CHECK ("bot_type" BETWEEN 1 AND 4),
    CONSTRAINT "users_avatar_source_check" CHECK ("avatar_source" IN ('G', 'U')),
    CONSTRAINT "users_email_address_visibility_check" CHECK ("email_address_visibility" BETWEEN 1 AND 5),
    CONSTRAINT "users_api_key_check" CHECK (("api_key_sealed" IS NULL) = ("api_key_digest" IS NULL))
);

CREATE TABLE "sessions" (
    "token_digest" TEXT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "csrf_token" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("token_digest")
);

-- Named groups, system groups (role:...) and the nameless groups behind group-setting values are one table,
-- so that every permission column is one foreign key.
CREATE TABLE "user_groups" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT,
    "description" TEXT NOT NULL DEFAULT '',
    "creator_id" INTEGER,
    "date_created" TIMESTAMPTZ(3),
    "deactivated" BOOLEAN NOT NULL DEFAULT false,
    "can_add_members_group_id" INTEGER,
    "can_join_group_id" INTEGER,
    "can_leave_group_id" INTEGER,
    "can_manage_group_id" INTEGER,
    "can_mention_group_id" INTEGER,
    "can_remove_members_group_id" INTEGER,

    CONSTRAINT "user_groups_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "user_groups_kind_check" CHECK ("kind" IN ('system', 'named', 'anonymous')),
    CONSTRAINT "user_groups_shape_check" CHECK (
        CASE WHEN "kind" = 'anonymous' THEN "name" IS NULL
        ELSE num_nulls("name", "can_add_members_group_id", "can_join_group_id", "can_leave_group_id",
                       "can_manage_group_id", "can_mention_group_id", "can_remove_members_group_id") = 0 END)
);

CREATE TABLE "user_group_members" (
    "group_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,

    CONSTRAINT "user_group_members_pkey" PRIMARY KEY ("group_id","user_id")
);

CREATE TABLE "user_group_subgroups" (
    "group_id" INTEGER NOT NULL,
    "subgroup_id" INTEGER NOT NULL,

    CONSTRAINT "user_group_subgroups_pkey" PRIMARY KEY ("group_id","subgroup_id")
);

CREATE TABLE "channels" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "name_key" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "rendered_description" TEXT NOT NULL DEFAULT '',
    "creator_id" INTEGER,
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "is_private" BOOLEAN NOT NULL DEFAULT false,
    "is_web_public" BOOLEAN NOT NULL DEFAULT false,
    "history_public_to_subscribers" BOOLEAN NOT NULL DEFAULT true,
    "is_archived" BOOLEAN NOT NULL DEFAULT false,
    "is_default" BOOLEAN NOT NULL DEFAULT false,
    "is_recently_active" BOOLEAN NOT NULL DEFAULT true,
    "topics_policy" TEXT NOT NULL DEFAULT 'inherit',
    "message_retention_days" INTEGER,
    "can_add_subscribers_group_id" INTEGER NOT NULL,
    "can_administer_channel_group_id" INTEGER NOT NULL,
    "can_create_topic_group_id" INTEGER NOT NULL,
    "can_delete_any_message_group_id" INTEGER NOT NULL,
    "can_delete_own_message_group_id" INTEGER NOT NULL,
    "can_move_messages_out_of_channel_group_id" INTEGER NOT NULL,
    "can_move_messages_within_channel_group_id" INTEGER NOT NULL,
    "can_remove_subscribers_group_id" INTEGER NOT NULL,
    "can_resolve_topics_group_id" INTEGER NOT NULL,
    "can_send_message_group_id" INTEGER NOT NULL,
    "can_subscribe_group_id" INTEGER NOT NULL,

    CONSTRAINT "channels_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "channels_topics_policy_check" CHECK (
        "topics_policy" IN ('inherit', 'allow_empty_topic', 'disable_empty_topic', 'empty_topic_only')),
    CONSTRAINT "channels_privacy_check" CHECK (NOT ("is_private" AND "is_web_public"))
);

-- A row stays, inactive, when its user leaves: colour and settings are there again on return.
CREATE TABLE "subscriptions" (
    "user_id" INTEGER NOT NULL,
    "channel_id" INTEGER NOT NULL,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "color" TEXT NOT NULL,
    "is_muted" BOOLEAN NOT NULL DEFAULT false,
    "pin_to_top" BOOLEAN NOT NULL DEFAULT false,
    "desktop_notifications" BOOLEAN,
    "audible_notifications" BOOLEAN,
    "push_notifications" BOOLEAN,
    "email_notifications" BOOLEAN,
    "wildcard_mentions_notify" BOOLEAN,

    CONSTRAINT "subscriptions_pkey" PRIMARY KEY ("user_id","channel_id")
);

CREATE TABLE "user_topics" (
    "user_id" INTEGER NOT NULL,
    "channel_id" INTEGER NOT NULL,
    "topic_key" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "visibility_policy" INTEGER NOT NULL,
    "last_updated" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_topics_pkey" PRIMARY KEY ("user_id","channel_id","topic_key"),
    CONSTRAINT "user_topics_visibility_policy_check" CHECK ("visibility_policy" BETWEEN 1 AND 3)
);

-- Where a message goes: one row a channel, one row a set of direct-message participants.
-- participants_key is the SHA-256 of the sorted ids: a set of any size has an index entry of one size.
CREATE TABLE "recipients" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "channel_id" INTEGER,
    "participants_key" TEXT,
    "participant_ids" INTEGER[],

    CONSTRAINT "recipients_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "recipients_kind_check" CHECK (
        num_nonnulls("channel_id", "participants_key") = 1
        AND ("participants_key" IS NULL) = ("participant_ids" IS NULL))
);

CREATE TABLE "clients" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,

    CONSTRAINT "clients_pkey" PRIMARY KEY ("id")
);

-- realm_id has no foreign key: the recipient's vouches for it, and every send would lock the one realm row.
CREATE TABLE "messages" (
    "id" BIGSERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "sender_id" INTEGER NOT NULL,
    "recipient_id" INTEGER NOT NULL,
    "client_id" INTEGER NOT NULL,
    "topic" TEXT NOT NULL DEFAULT '',
    "topic_key" TEXT NOT NULL DEFAULT '',
    "content" TEXT NOT NULL,
    "rendered_content" TEXT NOT NULL,
    "rendered_version" INTEGER NOT NULL,
    "is_me_message" BOOLEAN NOT NULL DEFAULT false,
    "has_link" BOOLEAN NOT NULL DEFAULT false,
    "has_attachment" BOOLEAN NOT NULL DEFAULT false,
    "has_image" BOOLEAN NOT NULL DEFAULT false,
    "date_sent" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_edit_at" TIMESTAMPTZ(3),
    "last_moved_at" TIMESTAMPTZ(3),
    "edit_history" JSONB,
    "search" tsvector GENERATED ALWAYS AS (to_tsvector('english', "topic" || ' ' || "content")) STORED,

    CONSTRAINT "messages_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "reactions" (
    "id" BIGSERIAL NOT NULL,
    "message_id" BIGINT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "emoji_name" TEXT NOT NULL,
    "emoji_code" TEXT NOT NULL,
    "reaction_type" TEXT NOT NULL,

    CONSTRAINT "reactions_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "reactions_type_check" CHECK (
        "reaction_type" IN ('unicode_emoji', 'realm_emoji', 'zulip_extra_emoji'))
);

-- One row for everyone who received the message. No foreign keys on purpose: a send to ten thousand
-- subscribers would run twenty thousand checks inside its transaction. Whoever deletes messages or users
-- deletes these rows in the same transaction.
-- flags: 1 read, 2 starred, 4 collapsed, 8 mentioned, 16 channel wildcard, 32 topic wildcard,
-- 64 alert word, 128 historical, 256 mentioned through a group.
CREATE TABLE "user_messages" (
    "user_id" INTEGER NOT NULL,
    "message_id" BIGINT NOT NULL,
    "flags" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "user_messages_pkey" PRIMARY KEY ("user_id","message_id")
);

CREATE UNIQUE INDEX "realms_string_id_key" ON "realms"("string_id");
CREATE UNIQUE INDEX "realms_host_key" ON "realms"("host");
CREATE INDEX "realm_permissions_group_id_idx" ON "realm_permissions"("group_id");
CREATE UNIQUE INDEX "users_realm_id_delivery_email_key_key" ON "users"("realm_id", "delivery_email_key");
CREATE UNIQUE INDEX "users_api_key_digest_key" ON "users"("api_key_digest");
CREATE INDEX "users_bot_owner_id_idx" ON "users"("bot_owner_id");
CREATE INDEX "sessions_user_id_idx" ON "sessions"("user_id");
CREATE UNIQUE INDEX "user_groups_realm_id_name_key" ON "user_groups"("realm_id", "name");
CREATE INDEX "user_group_members_user_id_idx" ON "user_group_members"("user_id");
CREATE INDEX "user_group_subgroups_subgroup_id_idx" ON "user_group_subgroups"("subgroup_id");
CREATE UNIQUE INDEX "channels_realm_id_name_key_key" ON "channels"("realm_id", "name_key");
CREATE INDEX "subscriptions_channel_id_user_id_idx" ON "subscriptions"("channel_id", "user_id");
CREATE INDEX "user_topics_channel_id_topic_key_idx" ON "user_topics"("channel_id", "topic_key");
CREATE UNIQUE INDEX "recipients_channel_id_key" ON "recipients"("channel_id");
CREATE UNIQUE INDEX "recipients_realm_id_participants_key_key" ON "recipients"("realm_id", "participants_key");
CREATE INDEX "recipients_participant_ids_idx" ON "recipients" USING GIN ("participant_ids");
CREATE UNIQUE INDEX "clients_name_key" ON "clients"("name");
CREATE INDEX "messages_recipient_id_id_idx" ON "messages"("recipient_id", "id");
CREATE INDEX "messages_recipient_id_topic_key_id_idx" ON "messages"("recipient_id", "topic_key", "id");
CREATE INDEX "messages_sender_id_id_idx" ON "messages"("sender_id", "id");
CREATE INDEX "messages_realm_id_date_sent_idx" ON "messages"("realm_id", "date_sent");
CREATE INDEX "messages_search_idx" ON "messages" USING GIN ("search");
CREATE UNIQUE INDEX "reactions_message_id_user_id_reaction_type_emoji_code_key" ON "reactions"("message_id", "user_id", "reaction_type", "emoji_code");

-- Who received a message. Its condition holds for every row and is written out by the statements that want it:
-- otherwise the planner walks this index, through everybody's rows, for the newest rows of one user.
CREATE INDEX "user_messages_message_id_idx" ON "user_messages"("message_id") WHERE "flags" >= 0;

-- Partial indexes: the few rows that a client asks for by their flag.
CREATE INDEX "user_messages_unread_idx" ON "user_messages"("user_id", "message_id") WHERE "flags" & 1 = 0;
CREATE INDEX "user_messages_starred_idx" ON "user_messages"("user_id", "message_id") WHERE "flags" & 2 <> 0;
CREATE INDEX "user_messages_mentioned_idx" ON "user_messages"("user_id", "message_id") WHERE "flags" & 312 <> 0;

ALTER TABLE "realms" ADD CONSTRAINT "realms_new_stream_announcements_channel_id_fkey" FOREIGN KEY ("new_stream_announcements_channel_id") REFERENCES "channels"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "realms" ADD CONSTRAINT "realms_signup_announcements_channel_id_fkey" FOREIGN KEY ("signup_announcements_channel_id") REFERENCES "channels"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "realms" ADD CONSTRAINT "realms_zulip_update_announcements_channel_id_fkey" FOREIGN KEY ("zulip_update_announcements_channel_id") REFERENCES "channels"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "realms" ADD CONSTRAINT "realms_moderation_request_channel_id_fkey" FOREIGN KEY ("moderation_request_channel_id") REFERENCES "channels"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "realm_permissions" ADD CONSTRAINT "realm_permissions_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "realm_permissions" ADD CONSTRAINT "realm_permissions_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "user_groups"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "users" ADD CONSTRAINT "users_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "users" ADD CONSTRAINT "users_bot_owner_id_fkey" FOREIGN KEY ("bot_owner_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "users" ADD CONSTRAINT "users_default_sending_channel_id_fkey" FOREIGN KEY ("default_sending_channel_id") REFERENCES "channels"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "users" ADD CONSTRAINT "users_default_events_register_channel_id_fkey" FOREIGN KEY ("default_events_register_channel_id") REFERENCES "channels"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "user_groups" ADD CONSTRAINT "user_groups_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "user_groups" ADD CONSTRAINT "user_groups_creator_id_fkey" FOREIGN KEY ("creator_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "user_groups" ADD CONSTRAINT "user_groups_can_add_members_group_id_fkey" FOREIGN KEY ("can_add_members_group_id") REFERENCES "user_groups"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "user_groups" ADD CONSTRAINT "user_groups_can_join_group_id_fkey" FOREIGN KEY ("can_join_group_id") REFERENCES "user_groups"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "user_groups" ADD CONSTRAINT "user_groups_can_leave_group_id_fkey" FOREIGN KEY ("can_leave_group_id") REFERENCES "user_groups"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "user_groups" ADD CONSTRAINT "user_groups_can_manage_group_id_fkey" FOREIGN KEY ("can_manage_group_id") REFERENCES "user_groups"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "user_groups" ADD CONSTRAINT "user_groups_can_mention_group_id_fkey" FOREIGN KEY ("can_mention_group_id") REFERENCES "user_groups"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "user_groups" ADD CONSTRAINT "user_groups_can_remove_members_group_id_fkey" FOREIGN KEY ("can_remove_members_group_id") REFERENCES "user_groups"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "user_group_members" ADD CONSTRAINT "user_group_members_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "user_groups"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "user_group_members" ADD CONSTRAINT "user_group_members_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "user_group_subgroups" ADD CONSTRAINT "user_group_subgroups_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "user_groups"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "user_group_subgroups" ADD CONSTRAINT "user_group_subgroups_subgroup_id_fkey" FOREIGN KEY ("subgroup_id") REFERENCES "user_groups"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "channels" ADD CONSTRAINT "channels_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "channels" ADD CONSTRAINT "channels_creator_id_fkey" FOREIGN KEY ("creator_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "channels" ADD CONSTRAINT "channels_can_add_subscribers_group_id_fkey" FOREIGN KEY ("can_add_subscribers_group_id") REFERENCES "user_groups"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "channels" ADD CONSTRAINT "channels_can_administer_channel_group_id_fkey" FOREIGN KEY ("can_administer_channel_group_id") REFERENCES "user_groups"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "channels" ADD CONSTRAINT "channels_can_create_topic_group_id_fkey" FOREIGN KEY ("can_create_topic_group_id") REFERENCES "user_groups"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "channels" ADD CONSTRAINT "channels_can_delete_any_message_group_id_fkey" FOREIGN KEY ("can_delete_any_message_group_id") REFERENCES "user_groups"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "channels" ADD CONSTRAINT "channels_can_delete_own_message_group_id_fkey" FOREIGN KEY ("can_delete_own_message_group_id") REFERENCES "user_groups"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "channels" ADD CONSTRAINT "channels_can_move_messages_out_of_channel_group_id_fkey" FOREIGN KEY ("can_move_messages_out_of_channel_group_id") REFERENCES "user_groups"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "channels" ADD CONSTRAINT "channels_can_move_messages_within_channel_group_id_fkey" FOREIGN KEY ("can_move_messages_within_channel_group_id") REFERENCES "user_groups"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "channels" ADD CONSTRAINT "channels_can_remove_subscribers_group_id_fkey" FOREIGN KEY ("can_remove_subscribers_group_id") REFERENCES "user_groups"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "channels" ADD CONSTRAINT "channels_can_resolve_topics_group_id_fkey" FOREIGN KEY ("can_resolve_topics_group_id") REFERENCES "user_groups"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "channels" ADD CONSTRAINT "channels_can_send_message_group_id_fkey" FOREIGN KEY ("can_send_message_group_id") REFERENCES "user_groups"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "channels" ADD CONSTRAINT "channels_can_subscribe_group_id_fkey" FOREIGN KEY ("can_subscribe_group_id") REFERENCES "user_groups"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "user_topics" ADD CONSTRAINT "user_topics_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "user_topics" ADD CONSTRAINT "user_topics_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "recipients" ADD CONSTRAINT "recipients_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "recipients" ADD CONSTRAINT "recipients_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "messages" ADD CONSTRAINT "messages_sender_id_fkey" FOREIGN KEY ("sender_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "messages" ADD CONSTRAINT "messages_recipient_id_fkey" FOREIGN KEY ("recipient_id") REFERENCES "recipients"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "messages" ADD CONSTRAINT "messages_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "clients"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "reactions" ADD CONSTRAINT "reactions_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "messages"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "reactions" ADD CONSTRAINT "reactions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Every group that a user belongs to, directly or through subgroups. Membership grows upwards: whoever is in a
-- subgroup is in the groups that contain it. UNION (not ALL) ends the walk even if a cycle slipped in.
CREATE FUNCTION "user_group_ids"("member_id" INTEGER) RETURNS INTEGER[]
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE "reached"("id") AS (
        SELECT "group_id" FROM "user_group_members" WHERE "user_id" = "member_id"
        UNION
        SELECT s."group_id" FROM "user_group_subgroups" s JOIN "reached" r ON s."subgroup_id" = r."id"
    )
    SELECT coalesce(array_agg("id"), '{}') FROM "reached";
END;
