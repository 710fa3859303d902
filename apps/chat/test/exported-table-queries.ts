const groupPermissions = ['add_members', 'join', 'leave', 'manage', 'mention', 'remove_members'].map(
  (name) => `can_${name}_group`,
);

const channelPermissions = [
  'add_subscribers',
  'administer_channel',
  'create_topic',
  'delete_any_message',
  'delete_own_message',
  'move_messages_out_of_channel',
  'move_messages_within_channel',
  'remove_subscribers',
  'resolve_topics',
  'send_message',
  'subscribe',
].map((name) => `can_${name}_group`);

/** Returns SQL that selects the columns of permissions. The name of each column replaces `#` in the expression. */
function permissionColumns(names: readonly string[], expression: string): string {
  return names.map((name) => `${expression.replace('#', `${name}_id`)} AS ${name}`).join(', ');
}

/** Returns SQL that selects the source and the version of an image of the realm. */
function imageColumns(kind: string, initial: string): string {
  return `CASE WHEN images -> '${kind}' ->> 'key' IS NULL THEN '${initial}' ELSE 'U' END AS ${kind}_source,
    coalesce((images -> '${kind}' ->> 'version')::int, 1) AS ${kind}_version`;
}

/**
 * Tables whose rows have equal values in the archive and the database. The values are SQL statements that select the
 * rows with the column names of the archive. Times are compared with a precision of milliseconds. The column `id` is compared only if the
 * statement selects the column.
 */
export const sameRows: Readonly<Record<string, string>> = {
  zerver_realm: `SELECT id, name, description, string_id, uuid::text AS uuid,
    date_created, deactivated,
    new_stream_announcements_channel_id AS new_stream_announcements_stream,
    signup_announcements_channel_id AS signup_announcements_stream,
    zulip_update_announcements_channel_id AS zulip_update_announcements_stream, moderation_request_channel_id AS moderation_request_channel,
    ${imageColumns('icon', 'G')}, ${imageColumns('logo', 'D')}, ${imageColumns('night_logo', 'D')}
    FROM realms WHERE id IN (SELECT realm_id FROM users)`,
  zerver_realmauthenticationmethod: `SELECT realm_id AS realm, 'Email' AS name FROM users GROUP BY realm_id`,
  zerver_presencesequence: `SELECT realm_id AS realm, max(update_id) AS last_update_id FROM presences GROUP BY realm_id`,
  zerver_client: `SELECT id, name FROM clients WHERE id IN (SELECT client_id FROM messages)
    OR name IN (SELECT client FROM scheduled_messages) UNION ALL SELECT 0, 'website'`,
  zerver_userprofile: `SELECT u.id, realm_id AS realm, delivery_email, full_name, role, is_active, bot_type,
    bot_type IS NOT NULL AS is_bot, bot_owner_id AS bot_owner, date_joined, last_login_at AS last_login, timezone,
    avatar_source, avatar_version, email_address_visibility, is_imported_stub, is_deleted, can_create_users,
    can_change_user_emails, can_forge_sender, rate_limits, false AS is_mirror_dummy, 2 * u.id + 1 AS recipient,
    CASE WHEN email_address_visibility = 1 OR bot_type IS NOT NULL THEN delivery_email
      ELSE 'user' || u.id || '@' || r.fake_email_domain END AS email,
    default_sending_channel_id AS default_sending_stream,
    default_events_register_channel_id AS default_events_register_stream,
    default_all_public_channels AS default_all_public_streams
    FROM users u JOIN realms r ON r.id = u.realm_id WHERE NOT is_system_bot`,
  zerver_userprofile_crossrealm: 'SELECT id, 2 * id + 1 AS recipient_id FROM users WHERE is_system_bot',
  zerver_realmdomain: 'SELECT id, realm_id AS realm, domain, allow_subdomains FROM realm_domains',
  zerver_realmemoji: `SELECT id, realm_id AS realm, name, file_name, author_id AS author, is_animated, deactivated
    FROM realm_emoji`,
  zerver_realmfilter: `SELECT id, realm_id AS realm, pattern, url_template, position AS "order", example_input,
    reverse_template, alternative_url_templates FROM realm_linkifiers`,
  zerver_realmplayground: 'SELECT id, realm_id AS realm, name, pygments_language, url_template FROM realm_playgrounds',
  zerver_customprofilefield: `SELECT id, realm_id AS realm, name, hint, position AS "order", field_type, field_data,
    required, display_in_profile_summary, editable_by_user, use_for_user_matching FROM profile_fields`,
  zerver_customprofilefieldvalue:
    'SELECT user_id AS user_profile, field_id AS field, value, rendered_value FROM profile_values',
  zerver_userpresence: `SELECT user_id AS user_profile, realm_id AS realm, last_active_at AS last_active_time,
    last_connected_at AS last_connected_time, update_id AS last_update_id FROM presences`,
  zerver_userstatus: `SELECT user_id AS user_profile, status_text, emoji_name, emoji_code,
    coalesce(nullif(reaction_type, ''), 'unicode_emoji') AS reaction_type FROM user_statuses`,
  zerver_usergroup: 'SELECT id, realm_id AS realm FROM user_groups',
  zerver_namedusergroup: `SELECT id, id AS usergroup_ptr, realm_id AS realm_for_sharding, name, description,
    kind = 'system' AS is_system_group, creator_id AS creator, date_created, deactivated,
    ${permissionColumns(groupPermissions, "coalesce(#, (SELECT id FROM user_groups WHERE name = 'role:nobody'))")}
    FROM user_groups WHERE name IS NOT NULL`,
  zerver_usergroupmembership: `SELECT group_id AS user_group, user_id AS user_profile FROM user_group_members
    WHERE user_id IN (SELECT id FROM users WHERE NOT is_system_bot)`,
  zerver_groupgroupmembership: 'SELECT group_id AS supergroup, subgroup_id AS subgroup FROM user_group_subgroups',
  zerver_channelfolder: `SELECT id, realm_id AS realm, name, description, rendered_description, position AS "order",
    creator_id AS creator, date_created, is_archived FROM channel_folders`,
  zerver_stream: `SELECT c.id, c.realm_id AS realm, name, description, rendered_description, creator_id AS creator,
    date_created, is_archived AS deactivated, folder_id AS folder, is_private AS invite_only, is_web_public,
    history_public_to_subscribers, message_retention_days, is_recently_active, 2 * r.id AS recipient,
    CASE topics_policy WHEN 'inherit' THEN 1 WHEN 'allow_empty_topic' THEN 2 WHEN 'disable_empty_topic' THEN 3
      WHEN 'empty_topic_only' THEN 4 END AS topics_policy,
    (SELECT count(*)::int FROM subscriptions s JOIN users u ON u.id = s.user_id
      WHERE s.channel_id = c.id AND s.is_active AND u.is_active) AS subscriber_count,
    ${permissionColumns(channelPermissions, '#')}
    FROM channels c JOIN recipients r ON r.channel_id = c.id`,
  zerver_defaultstream: 'SELECT id AS stream, realm_id AS realm FROM channels WHERE is_default',
  zerver_huddle: `SELECT id, 2 * id AS recipient, md5(array_to_string(participant_ids, ',')) AS huddle_hash,
    cardinality(participant_ids) AS group_size FROM recipients WHERE cardinality(participant_ids) > 2`,
  zerver_recipient: `SELECT 2 * id + 1 AS id, 1 AS type, id AS type_id FROM users WHERE NOT is_system_bot
    UNION ALL SELECT 2 * id, CASE WHEN channel_id IS NULL THEN 3 ELSE 2 END, coalesce(channel_id, id) FROM recipients
    WHERE channel_id IS NOT NULL OR cardinality(participant_ids) > 2`,
  zerver_alertword: 'SELECT id, user_id AS user_profile, word FROM alert_words',
  zerver_muteduser: 'SELECT user_id AS user_profile, muted_user_id AS muted_user, date_muted FROM muted_users',
  zerver_navigationview: 'SELECT id, user_id AS "user", fragment, is_pinned, name FROM navigation_views',
  zerver_savedsnippet: 'SELECT id, user_id AS user_profile, title, content, date_created FROM saved_snippets',
  zerver_onboardingstep: 'SELECT user_id AS "user", step AS onboarding_step FROM onboarding_steps',
  zerver_usertopic: `SELECT user_id AS user_profile, t.channel_id AS stream, 2 * r.id AS recipient, topic AS topic_name,
    visibility_policy, last_updated FROM user_topics t JOIN recipients r ON r.channel_id = t.channel_id`,
  zerver_service: `SELECT user_id AS user_profile, full_name AS name, base_url, interface
    FROM bot_services b JOIN users u ON u.id = b.user_id`,
  zerver_botstoragedata: 'SELECT user_id AS bot_profile, key, value FROM bot_storage',
  zerver_scheduledmessage: `SELECT s.id, user_id AS sender, topic AS subject, content, rendered_content, read_by_sender,
    deliver_at AS scheduled_timestamp, failure AS failure_message, failure IS NOT NULL AS failed, reminder_note,
    reminder_message_id AS reminder_target_message_id, CASE type WHEN 'stream' THEN to_ids[1] END AS stream,
    CASE type WHEN 'reminder' THEN 2 ELSE 1 END AS delivery_type, coalesce(c.id, 0) AS sending_client
    FROM scheduled_messages s LEFT JOIN clients c ON c.name = s.client`,
  zerver_reaction: `SELECT id, message_id AS message, user_id AS user_profile, emoji_name, emoji_code, reaction_type
    FROM reactions`,
};

/** Names of the tables to which columns refer, by table and column. `zerver_message` means the exported messages. */
export const references: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  zerver_userprofile: {
    bot_owner: 'account',
    recipient: 'zerver_recipient',
    default_sending_stream: 'zerver_stream',
    realm: 'zerver_realm',
  },
  zerver_realm: {
    new_stream_announcements_stream: 'zerver_stream',
    moderation_request_channel: 'zerver_stream',
    can_create_groups: 'zerver_usergroup',
    workplace_users_group: 'zerver_usergroup',
  },
  zerver_stream: {
    creator: 'account',
    recipient: 'zerver_recipient',
    folder: 'zerver_channelfolder',
    can_send_message_group: 'zerver_usergroup',
    can_subscribe_group: 'zerver_usergroup',
  },
  zerver_namedusergroup: {
    creator: 'account',
    usergroup_ptr: 'zerver_usergroup',
    can_mention_group: 'zerver_usergroup',
    can_leave_group: 'zerver_usergroup',
  },
  zerver_usergroupmembership: { user_group: 'zerver_usergroup', user_profile: 'account' },
  zerver_groupgroupmembership: { supergroup: 'zerver_usergroup', subgroup: 'zerver_namedusergroup' },
  zerver_subscription: { user_profile: 'account', recipient: 'zerver_recipient' },
  zerver_huddle: { recipient: 'zerver_recipient' },
  zerver_usertopic: { user_profile: 'account', stream: 'zerver_stream', recipient: 'zerver_recipient' },
  zerver_reaction: { user_profile: 'account', message: 'zerver_message' },
  zerver_scheduledmessage: { sender: 'account', recipient: 'personal', sending_client: 'zerver_client' },
  zerver_userstatus: { user_profile: 'account', client: 'zerver_client' },
  zerver_customprofilefieldvalue: { user_profile: 'account', field: 'zerver_customprofilefield' },
  zerver_message: { sender: 'account', recipient: 'personal', sending_client: 'zerver_client', realm: 'zerver_realm' },
  zerver_usermessage: { user_profile: 'account', message: 'zerver_message' },
};
