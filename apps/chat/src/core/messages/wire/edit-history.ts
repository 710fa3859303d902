import type { z } from 'zod';
import type { RealmSettings } from '../../realms/index.js';
import type { editHistoryEntrySchema } from './message-record-schema.js';

/** Edits of a message, with the newest edit first. */
export type EditHistory = readonly z.infer<typeof editHistoryEntrySchema>[];
type EditHistoryVisibility = RealmSettings['message_edit_history_visibility_policy'];

/**
 * Returns the part of a message's edit history that the realm setting allows to show, newest edit first (chat-2.2-7).
 *
 * @returns null when the setting allows no part of the history
 */
export function selectVisibleEditHistory(history: EditHistory | null, policy: EditHistoryVisibility) {
  if (history === null || policy === 'none') return null;
  if (policy === 'all') return [...history];
  const moves = history
    .filter((entry) => entry.prev_topic !== undefined || entry.prev_stream !== undefined)
    .map(({ prev_content: _content, prev_rendered_content: _rendered, ...move }) => move);
  return moves.length === 0 ? null : moves;
}
