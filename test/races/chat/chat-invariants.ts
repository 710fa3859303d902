/** Type with the query method of a database client, which the invariant checks call. */
interface SqlReader {
  query<R>(text: string): Promise<{ readonly rows: R[] }>;
}

/**
 * SQL statements that check the invariants of the chat database, by name of the invariant. A statement selects the rows
 * that violate the invariant.
 */
const invariants: Readonly<Record<string, string>> = {
  'user_messages refer to messages':
    'SELECT um.user_id, um.message_id FROM user_messages um WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = um.message_id)',
  'messages of channels refer to a topic of their channel, and others to none': `
    SELECT m.id, m.topic_id FROM messages m JOIN recipients r ON r.id = m.recipient_id
    LEFT JOIN topics t ON t.id = m.topic_id AND t.recipient_id = m.recipient_id
    WHERE CASE WHEN r.channel_id IS NULL THEN m.topic_id IS NOT NULL ELSE t.id IS NULL END`,
  'topics have messages':
    'SELECT t.id, t.topic FROM topics t WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.topic_id = t.id)',
  'nothing is unread in channels that the user does not subscribe to': `
    SELECT um.user_id, um.message_id FROM user_messages um
    JOIN users u ON u.id = um.user_id AND u.bot_type IS NULL
    JOIN messages m ON m.id = um.message_id JOIN recipients r ON r.id = m.recipient_id
    WHERE um.flags & 1 = 0 AND r.channel_id IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM subscriptions s WHERE s.channel_id = r.channel_id AND s.user_id = um.user_id AND s.is_active)`,
  'messages of private channels are received by subscribers alone': `
    SELECT um.user_id, um.message_id FROM user_messages um
    JOIN messages m ON m.id = um.message_id JOIN recipients r ON r.id = m.recipient_id
    JOIN channels c ON c.id = r.channel_id AND c.is_private
    WHERE NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.channel_id = c.id AND s.user_id = um.user_id)`,
  'participants of direct conversations exist': `
    SELECT r.id, participant FROM recipients r, unnest(r.participant_ids) AS participant
    WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.id = participant)`,
  'recipients of drafts exist': `
    SELECT d.id, recipient FROM drafts d, unnest(d.to_ids) AS recipient
    WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.id = recipient)
      AND NOT EXISTS (SELECT 1 FROM channels c WHERE c.id = recipient)`,
  'deactivated accounts have no sessions':
    'SELECT s.user_id FROM sessions s JOIN users u ON u.id = s.user_id WHERE NOT u.is_active',
  'bots of deactivated owners are deactivated':
    'SELECT b.id FROM users b JOIN users o ON o.id = b.bot_owner_id WHERE b.is_active AND NOT o.is_active',
  'messages of active accounts are not scheduled for deletion':
    'SELECT d.user_id FROM doomed_senders d JOIN users u ON u.id = d.user_id WHERE u.is_active',
  'an address has one pending invitation': `
    SELECT realm_id, email_key FROM invitations WHERE status = 'pending' AND email IS NOT NULL AND parent_id IS NULL
    GROUP BY realm_id, email_key HAVING count(*) > 1`,
  'pending invitations are of active users':
    "SELECT i.id FROM invitations i WHERE i.status = 'pending' AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = i.inviter_id)",
  'channels are in folders of their own realm': `
    SELECT c.id FROM channels c JOIN channel_folders f ON f.id = c.folder_id WHERE f.realm_id <> c.realm_id OR f.is_archived`,
  'settings refer to groups that are not deactivated': `
    SELECT c.id FROM channels c JOIN user_groups g ON g.deactivated AND g.id IN (
      c.can_add_subscribers_group_id, c.can_administer_channel_group_id, c.can_create_topic_group_id,
      c.can_delete_any_message_group_id, c.can_delete_own_message_group_id, c.can_move_messages_out_of_channel_group_id,
      c.can_move_messages_within_channel_group_id, c.can_remove_subscribers_group_id, c.can_resolve_topics_group_id,
      c.can_send_message_group_id, c.can_subscribe_group_id)`,
  'members of role groups have the role': `
    SELECT g.name, u.id, u.role FROM user_groups g JOIN user_group_members gm ON gm.group_id = g.id
    JOIN users u ON u.id = gm.user_id
    WHERE g.kind = 'system' AND CASE g.name WHEN 'role:owners' THEN u.role <> 100
      WHEN 'role:administrators' THEN u.role <> 200 WHEN 'role:moderators' THEN u.role <> 300
      WHEN 'role:members' THEN u.role <> 400 WHEN 'role:fullmembers' THEN u.role <> 400
      WHEN 'role:everyone' THEN u.role <> 600 ELSE false END`,
};

/** SQL that lists the columns that refer to user groups. Excludes the columns of group members and subgroups. */
const referringColumns = `
  SELECT con.conrelid::regclass::text AS "table", a.attname AS "column"
  FROM pg_constraint con JOIN pg_attribute a ON a.attrelid = con.conrelid AND a.attnum = con.conkey[1]
  WHERE con.contype = 'f' AND con.confrelid = 'user_groups'::regclass
    AND con.conrelid::regclass::text <> 'user_group_members'
    AND NOT (con.conrelid::regclass::text = 'user_group_subgroups' AND a.attname = 'group_id')`;

/** Returns a line for each violated invariant of the chat database; empty if the database meets all invariants. */
export async function brokenInvariants(database: SqlReader): Promise<readonly string[]> {
  const findings: string[] = [];
  const all = { ...invariants, 'nameless groups belong to a setting': await ownerlessGroups(database) };
  for (const [name, text] of Object.entries(all)) {
    const { rows } = await database.query(`${text} LIMIT 5`);
    if (rows.length > 0) findings.push(`${name}: ${JSON.stringify(rows)}`);
  }
  return findings;
}

async function ownerlessGroups(database: SqlReader): Promise<string> {
  const { rows } = await database.query<{ table: string; column: string }>(referringColumns);
  const conditions = rows.map(
    ({ table, column }) => `AND NOT EXISTS (SELECT 1 FROM ${table} t WHERE t.${column} = g.id)`,
  );
  return `SELECT g.id FROM user_groups g WHERE g.kind = 'anonymous' ${conditions.join(' ')}`;
}
