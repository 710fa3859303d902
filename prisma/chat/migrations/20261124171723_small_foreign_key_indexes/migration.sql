-- Foreign keys whose index was missing, of tables with few rows: what they refer to is deleted and changed without a
-- scan of the table. Those of large tables are built concurrently, each in a migration of its own.
CREATE INDEX "user_groups_can_add_members_group_id_idx" ON "user_groups"("can_add_members_group_id");
CREATE INDEX "user_groups_can_join_group_id_idx" ON "user_groups"("can_join_group_id");
CREATE INDEX "user_groups_can_leave_group_id_idx" ON "user_groups"("can_leave_group_id");
CREATE INDEX "user_groups_can_manage_group_id_idx" ON "user_groups"("can_manage_group_id");
CREATE INDEX "user_groups_can_mention_group_id_idx" ON "user_groups"("can_mention_group_id");
CREATE INDEX "user_groups_can_remove_members_group_id_idx" ON "user_groups"("can_remove_members_group_id");
CREATE INDEX "channels_can_add_subscribers_group_id_idx" ON "channels"("can_add_subscribers_group_id");
CREATE INDEX "channels_can_administer_channel_group_id_idx" ON "channels"("can_administer_channel_group_id");
CREATE INDEX "channels_can_create_topic_group_id_idx" ON "channels"("can_create_topic_group_id");
CREATE INDEX "channels_can_delete_any_message_group_id_idx" ON "channels"("can_delete_any_message_group_id");
CREATE INDEX "channels_can_delete_own_message_group_id_idx" ON "channels"("can_delete_own_message_group_id");
CREATE INDEX "channels_can_move_messages_out_of_channel_group_id_idx" ON "channels"("can_move_messages_out_of_channel_group_id");
CREATE INDEX "channels_can_move_messages_within_channel_group_id_idx" ON "channels"("can_move_messages_within_channel_group_id");
CREATE INDEX "channels_can_remove_subscribers_group_id_idx" ON "channels"("can_remove_subscribers_group_id");
CREATE INDEX "channels_can_resolve_topics_group_id_idx" ON "channels"("can_resolve_topics_group_id");
CREATE INDEX "channels_can_send_message_group_id_idx" ON "channels"("can_send_message_group_id");
CREATE INDEX "channels_can_subscribe_group_id_idx" ON "channels"("can_subscribe_group_id");
CREATE INDEX "realms_moderation_request_channel_id_idx" ON "realms"("moderation_request_channel_id") WHERE "moderation_request_channel_id" IS NOT NULL;
CREATE INDEX "realms_new_stream_announcements_channel_id_idx" ON "realms"("new_stream_announcements_channel_id") WHERE "new_stream_announcements_channel_id" IS NOT NULL;
CREATE INDEX "realms_signup_announcements_channel_id_idx" ON "realms"("signup_announcements_channel_id") WHERE "signup_announcements_channel_id" IS NOT NULL;
CREATE INDEX "realms_zulip_update_announcements_channel_id_idx" ON "realms"("zulip_update_announcements_channel_id") WHERE "zulip_update_announcements_channel_id" IS NOT NULL;
CREATE INDEX "users_default_events_register_channel_id_idx" ON "users"("default_events_register_channel_id") WHERE "default_events_register_channel_id" IS NOT NULL;
CREATE INDEX "users_default_sending_channel_id_idx" ON "users"("default_sending_channel_id") WHERE "default_sending_channel_id" IS NOT NULL;
CREATE INDEX "user_groups_creator_id_idx" ON "user_groups"("creator_id") WHERE "creator_id" IS NOT NULL;
CREATE INDEX "channels_creator_id_idx" ON "channels"("creator_id") WHERE "creator_id" IS NOT NULL;
CREATE INDEX "channel_folders_creator_id_idx" ON "channel_folders"("creator_id") WHERE "creator_id" IS NOT NULL;
CREATE INDEX "realm_emoji_author_id_idx" ON "realm_emoji"("author_id") WHERE "author_id" IS NOT NULL;
