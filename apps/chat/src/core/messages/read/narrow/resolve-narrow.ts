import type { Tx } from '@switchboard/database';
import { type ChatActor, isOwnerOrAdministrator, isGuest } from '../../../../infra/http/chat-actor.js';
import { isChannelReadableSql } from '../../../access/channel-access.js';
import { findUsers } from '../../../access/find-users.js';
import { createBadNarrowError } from '../../../../errors.js';
import { normalizeTextForComparison } from '../../../../infra/normalized-text-key.js';
import { parseIdOperand, parseNarrowUserListOperand, type NarrowTerm, parseTextOperand } from './parse-narrow-terms.js';

/** A channel that a term of a narrow (message filter) names. */
interface ChannelNamedByNarrow {
  readonly id: number;
  /** True if the reader can read the channel's whole history, including messages that the reader did not receive. */
  readonly historyReadable: boolean;
}

/** Channels and users that the terms of a narrow (message filter) name. */
export interface ChannelsAndUsersOfNarrow {
  channel(term: NarrowTerm): ChannelNamedByNarrow;
  /** Returns the ids of the users that a narrow term names, in the order in which the term names the users. */
  users(term: NarrowTerm): number[];
}

interface NarrowChannelRow {
  id: number;
  name_key: string;
  history_readable: boolean;
}

/**
 * Looks up all channels and users that the terms of a narrow (filter) name, in at most two SQL statements.
 *
 * @throws ApplicationError BAD_NARROW for a channel or user that does not exist or is hidden
 */
export async function resolveNarrowChannelsAndUsers(
  tx: Tx,
  actor: ChatActor,
  terms: readonly NarrowTerm[],
): Promise<ChannelsAndUsersOfNarrow> {
  const channels = await findChannelsOfNarrowTerms(tx, actor, terms.filter(isChannelTerm));
  const users = await findUsers(tx, actor, terms.filter(isUserTerm).flatMap(parseNarrowUserListOperand), {
    lock: false,
  });
  return {
    channel(term) {
      const text = parseTextOperand(term);
      const id = parseIdOperand(term);
      // The name of a channel may consist of digits, but clients usually mean an id by them.
      const row = channels.find((candidate) => candidate.id === id) ?? channels.find(createChannelNamePredicate(text));
      if (row === undefined) throw createBadNarrowError(`unknown channel ${text}`);
      return { id: row.id, historyReadable: row.history_readable };
    },
    users(term) {
      return parseNarrowUserListOperand(term).map((item) => {
        const id = item === 'me' ? actor.id : users.get(item)?.id;
        if (id === undefined) throw createBadNarrowError(`unknown user ${item}`);
        return id;
      });
    },
  };
}

function isChannelTerm(term: NarrowTerm): boolean {
  return term.operator === 'channel';
}

function isUserTerm(term: NarrowTerm): boolean {
  return ['dm', 'dm-with', 'group-pm-with', 'sender', 'mentions'].includes(term.operator);
}

function createChannelNamePredicate(name: string) {
  return (row: NarrowChannelRow): boolean => row.name_key === normalizeTextForComparison(name);
}

const selectChannelsSql = (named: string): string => `
  SELECT c.id, c.name_key, readable AND (NOT c.is_private OR c.history_public_to_subscribers) AS history_readable
  FROM channels c
  LEFT JOIN subscriptions s ON s.channel_id = c.id AND s.user_id = $1 AND s.is_active
  CROSS JOIN LATERAL (SELECT ${isChannelReadableSql({ actor: '$1', isGuest: '$2' })} AS readable) access
  WHERE c.realm_id = $3 AND (readable OR (c.is_private AND $4)) AND ${named}`;

/** Prepared SQL statement that looks up a single channel, because most narrows (filters) name one channel. */
const findOneChannelSql = { name: 'narrow-channel', text: selectChannelsSql('(c.id = $5::bigint OR c.name_key = $6)') };
const findSeveralChannelsSql = { text: selectChannelsSql('(c.id = ANY($5::bigint[]) OR c.name_key = ANY($6))') };

async function findChannelsOfNarrowTerms(
  tx: Tx,
  actor: ChatActor,
  terms: readonly NarrowTerm[],
): Promise<NarrowChannelRow[]> {
  if (terms.length === 0) return [];
  const reader = [actor.id, isGuest(actor), actor.realmId, isOwnerOrAdministrator(actor)];
  const ids = terms.map(parseIdOperand);
  const keys = terms.map((term) => normalizeTextForComparison(parseTextOperand(term)));
  const { rows } =
    terms.length === 1
      ? await tx.query<NarrowChannelRow>(findOneChannelSql, [...reader, ids[0] ?? null, keys[0]])
      : await tx.query<NarrowChannelRow>(findSeveralChannelsSql, [
          ...reader,
          ids.filter((id) => id !== undefined),
          keys,
        ]);
  return rows;
}
