import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { findUsers } from '../../core/access/find-users.js';
import { createBadRequestError } from '../../errors.js';
import { listChannels } from '../../core/channels/index.js';
import { normalizeMessageTopic, truncateMessageContent } from '../../core/messages/index.js';
import type { SentDraft } from './drafts.schemas.js';

/**
 * Returns drafts in their stored form. Fields that the type of the draft does not have are empty, and
 * texts are shortened to the maximum lengths. Executes at most two SQL statements for any number of drafts.
 * @throws ApplicationError BAD_REQUEST for a draft to several channels, or to a channel or user that the actor cannot
 * see
 */
export async function toCheckedDrafts(tx: Tx, actor: ChatActor, sent: readonly SentDraft[]): Promise<SentDraft[]> {
  await checkDraftChannels(tx, actor, sent);
  await checkDraftRecipients(tx, actor, sent);
  return sent.map((draft) => ({
    ...draft,
    to: draft.type === '' ? [] : draft.to,
    topic: draft.type === 'stream' ? normalizeMessageTopic(draft.topic) : '',
    content: truncateMessageContent(draft.content),
  }));
}

async function checkDraftChannels(tx: Tx, actor: ChatActor, sent: readonly SentDraft[]): Promise<void> {
  const channels = sent.filter(({ type }) => type === 'stream').map(({ to }) => to);
  if (channels.some((to) => to.length !== 1)) {
    throw createBadRequestError('Must specify exactly one channel ID for channel messages');
  }
  const ids = [...new Set(channels.flat())];
  if (ids.length === 0) return;
  const known = await listChannels(tx, actor, { channelIds: ids });
  if (known.length !== ids.length) throw createBadRequestError('Invalid channel ID');
}

async function checkDraftRecipients(tx: Tx, actor: ChatActor, sent: readonly SentDraft[]): Promise<void> {
  const ids = [...new Set(sent.filter(({ type }) => type === 'private').flatMap(({ to }) => to))];
  const found = await findUsers(tx, actor, ids, { lock: false });
  const unknown = ids.find((id) => !found.has(id));
  if (unknown !== undefined) throw createBadRequestError(`Invalid user ID ${unknown}`);
}
