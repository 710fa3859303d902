import type { Tx } from '@switchboard/database';
import { isChannelVisibleSql, isChannelReadableSql } from '../../access/channel-access.js';
import {
  type UnresolvedReference,
  type ChannelLinkReference,
  type ResolvedMessageReferences,
  createTopicKey,
} from '../../../infra/markdown/index.js';
import { normalizeTextForComparison } from '../../../infra/normalized-text-key.js';
import type { MessageAuthor } from './resolve-mentioned-users.repository.js';
import { isMessageInTopicSql } from '../read/narrow/message-id-index-ranges.js';
import { topicIdSql } from '../topics/topic-row-sql.js';

interface LinkedChannelRow {
  id: number;
  name: string;
  name_key: string;
  topic_key: string | null;
  message_id: number | null;
}

/**
 * Looks up the channels and topics to which a message links. A link to a topic refers to the topic's newest message, so
 * that the link remains valid after a move. Treats channels and messages that the author cannot see as nonexistent.
 */
export async function resolveLinkedChannels(
  tx: Tx,
  author: MessageAuthor,
  candidates: readonly UnresolvedReference[],
): Promise<Pick<ResolvedMessageReferences, 'channels' | 'topics'>> {
  const channels = new Map<string, { id: number; name: string }>();
  const topics = new Map<string, { messageId: number }>();
  const links = listChannelLinks(candidates);
  if (links.length === 0) return { channels, topics };
  const { rows } = await tx.query<LinkedChannelRow>(selectLinkedChannelsSql, [
    author.id,
    author.realmId,
    links.map(({ nameKey }) => nameKey),
    links.map(({ topicKey }) => topicKey),
  ]);
  for (const row of rows) {
    channels.set(row.name_key, { id: row.id, name: row.name });
    if (row.topic_key !== null && row.message_id !== null) {
      topics.set(createTopicKey(row.id, row.topic_key), { messageId: row.message_id });
    }
  }
  return { channels, topics };
}

/**
 * Returns the conversations to which a message links, without duplicates. Omits links to a single message, because
 * these links already contain all required data.
 */
function listChannelLinks(candidates: readonly UnresolvedReference[]): { nameKey: string; topicKey: string | null }[] {
  const links = candidates
    .filter((candidate): candidate is ChannelLinkReference => candidate.kind === 'channel')
    .map(({ channel, topic, messageId }) => ({
      nameKey: normalizeTextForComparison(channel),
      topicKey: topic === null || messageId !== null ? null : normalizeTextForComparison(topic),
    }));
  return [...new Map(links.map((link) => [JSON.stringify(link), link])).values()];
}

const isAuthorGuestSql = '(author.role = 600)';
const isReadableByAuthorSql = isChannelReadableSql({ actor: '$1', isGuest: isAuthorGuestSql });

const selectLinkedChannelsSql = `
  SELECT c.id, c.name, c.name_key, link.topic_key, newest.id AS message_id
  FROM unnest($3::text[], $4::text[]) AS link(name_key, topic_key)
  JOIN users author ON author.id = $1
  JOIN channels c ON c.realm_id = $2 AND c.name_key = link.name_key
  JOIN recipients r ON r.channel_id = c.id
  LEFT JOIN subscriptions s ON s.channel_id = c.id AND s.user_id = $1 AND s.is_active
  LEFT JOIN LATERAL (
    SELECT m.id FROM messages m
    WHERE ${isMessageInTopicSql(topicIdSql('r.id', 'link.topic_key'))}
    ORDER BY m.topic_id DESC, m.id DESC LIMIT 1
  ) newest ON (author.is_system_bot OR ${isReadableByAuthorSql}) AND (NOT c.is_private OR c.history_public_to_subscribers
    OR EXISTS (SELECT 1 FROM user_messages um WHERE um.user_id = $1 AND um.message_id = newest.id))
  WHERE author.is_system_bot OR ${isReadableByAuthorSql} OR ${isChannelVisibleSql({ actor: '$1', isGuest: isAuthorGuestSql, isAdmin: '(author.role <= 200)' })}`;
