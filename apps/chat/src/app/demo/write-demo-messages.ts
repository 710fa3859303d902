import type { Tx } from '@switchboard/database';
import { type MessageRenderer, emptyResolvedMessageReferences, rendererVersion } from '../../infra/markdown/index.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { insertMessage, createDirectConversationLookupKey } from '../../core/messages/index.js';
import { type DemoMessage, createDemoMessages } from './demo-conversations.js';

/** The demo accounts by the local part of their email address. */
export type DemoAccounts = ReadonlyMap<string, { readonly id: number; readonly fullName: string }>;

interface DemoRealmAndAccounts {
  readonly realmId: number;
  readonly accounts: DemoAccounts;
  readonly channels: ReadonlyMap<string, number>;
}

/** Interval between two demo messages in minutes. The demo conversations together cover some days. */
const minutesBetweenDemoMessages = 17;

/** Inserts the conversations of the demo realm, with times that are distributed over the last days. Emits no events. */
export async function writeDemoMessages(tx: Tx, renderer: MessageRenderer, place: DemoRealmAndAccounts): Promise<void> {
  const clientId = await insertDemoClientProgram(tx);
  const recipients = await readChannelRecipients(tx, place.realmId);
  const ids: number[] = [];
  for (const message of createDemoMessages()) {
    ids.push(await writeDemoMessage(tx, renderer, { ...place, clientId, recipients }, message));
  }
  await tx.query(
    `UPDATE messages m SET date_sent = now() - make_interval(mins => $2 * (cardinality($1::bigint[]) - t.place::int))
     FROM unnest($1::bigint[]) WITH ORDINALITY AS t(id, place) WHERE m.id = t.id`,
    [ids, minutesBetweenDemoMessages],
  );
  await addFlagsReactionsAndEdits(tx, ids);
}

async function insertDemoClientProgram(tx: Tx): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    'INSERT INTO clients (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET name = EXCLUDED.name RETURNING id',
    ['website'],
  );
  return rows[0]?.id ?? 0;
}

async function readChannelRecipients(tx: Tx, realmId: number): Promise<Map<number, number>> {
  const { rows } = await tx.query<{ id: number; channel_id: number }>(
    'SELECT id, channel_id FROM recipients WHERE realm_id = $1 AND channel_id IS NOT NULL',
    [realmId],
  );
  return new Map(rows.map((row) => [row.channel_id, row.id]));
}

type DemoMessageContext = DemoRealmAndAccounts & {
  readonly clientId: number;
  readonly recipients: ReadonlyMap<number, number>;
};

async function writeDemoMessage(
  tx: Tx,
  renderer: MessageRenderer,
  place: DemoMessageContext,
  message: DemoMessage,
): Promise<number> {
  const { accounts, channels, realmId, clientId } = place;
  const senderId = accounts.get(message.sender)?.id ?? 0;
  const users = new Map([...accounts.values()].map((account) => [account.fullName, account]));
  const rendered = renderer.render(renderer.parse(message.content), { ...emptyResolvedMessageReferences, users });
  const channelId = message.channel === undefined ? undefined : channels.get(message.channel);
  const userIds = (message.people ?? []).map((name) => accounts.get(name)?.id ?? 0);
  const topic = message.topic ?? '';
  const inserted = await insertMessage(
    tx,
    {
      realmId,
      senderId,
      recipientId:
        channelId === undefined
          ? await getDemoConversationRecipientId(tx, realmId, userIds)
          : (place.recipients.get(channelId) ?? 0),
      clientId,
      topic,
      topicKey: normalizeTextForComparison(topic),
      content: message.content,
      rendered: rendered.html,
      renderedVersion: rendererVersion,
      isMeMessage: message.content.startsWith('/me '),
      hasLink: rendered.hasLink,
      hasAttachment: rendered.hasAttachment,
      hasImage: rendered.hasImage,
    },
    channelId === undefined ? { userIds } : { channelId, attentiveIds: [] },
    { ...rendered, readBySender: true },
  );
  return inserted.id;
}

async function getDemoConversationRecipientId(tx: Tx, realmId: number, userIds: readonly number[]): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `INSERT INTO recipients (realm_id, participants_key, participant_ids) VALUES ($1, $2, $3)
     ON CONFLICT (realm_id, participants_key) DO UPDATE SET participants_key = EXCLUDED.participants_key
     RETURNING id`,
    [realmId, createDirectConversationLookupKey(userIds), userIds.toSorted((a, b) => a - b)],
  );
  return rows[0]?.id ?? 0;
}

/**
 * Marks most demo messages as read. Adds some stars, reactions and edits to the messages, so that the realm contains
 * examples of these features.
 */
async function addFlagsReactionsAndEdits(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.query(
    'UPDATE user_messages SET flags = flags | 1 WHERE message_id = ANY($1) AND (message_id + user_id) % 4 <> 0',
    [ids],
  );
  await tx.query(
    'UPDATE user_messages SET flags = flags | 2 WHERE message_id = ANY($1) AND (message_id + user_id) % 37 = 0',
    [ids],
  );
  await tx.query(
    `INSERT INTO reactions (message_id, user_id, emoji_name, emoji_code, reaction_type)
     SELECT um.message_id, um.user_id, emoji.name, emoji.code, 'unicode_emoji'
     FROM user_messages um
     JOIN (VALUES (0, '+1', '1f44d'), (1, 'tada', '1f389'), (2, 'heart', '2764')) AS emoji(number, name, code)
       ON emoji.number = um.message_id % 3
     WHERE um.message_id = ANY($1) AND (um.message_id * 7 + um.user_id) % 11 = 0`,
    [ids],
  );
  await tx.query(
    `UPDATE messages m SET last_edit_at = date_sent + interval '2 minutes',
       edit_history = jsonb_build_array(jsonb_build_object('user_id', sender_id, 'prev_content', 'Teh ' || x.content,
         'prev_rendered_content', '<p>Teh</p> ' || x.rendered_content,
         'timestamp', floor(extract(epoch FROM date_sent + interval '2 minutes'))::bigint))
     FROM message_texts x WHERE m.id = ANY($1) AND m.id % 23 = 0 AND x.message_id = m.id`,
    [ids],
  );
}
