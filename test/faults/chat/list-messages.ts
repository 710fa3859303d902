import { readChatResponse } from '../classify-responses.js';
import { member } from '../http.js';
import type { ChatUser } from './chat-user.js';

const pageSize = 1000;

/** Operators and operands that select messages, as in the parameter `narrow` of the API. */
export type Narrow = readonly (readonly [operator: string, operand: string])[];

/** Returns all messages that match `narrow` by message id. Returns null if the service is temporarily unavailable. */
export async function listMessages(user: ChatUser, narrow: Narrow): Promise<{ id: number; content: string }[] | null> {
  const found: { id: number; content: string }[] = [];
  for (let anchor = '0'; ;) {
    const query = {
      anchor,
      narrow: JSON.stringify(narrow),
      num_before: '0',
      num_after: String(pageSize),
      include_anchor: 'false',
      apply_markdown: 'false',
    };
    const verdict = readChatResponse(await user.get('messages', query));
    if (verdict.kind !== 'done') return null;
    const page = member(verdict.body, 'messages');
    for (const message of Array.isArray(page) ? (page as unknown[]) : []) {
      found.push({ id: Number(member(message, 'id')), content: String(member(message, 'content')) });
    }
    if (member(verdict.body, 'found_newest') === true) return found;
    anchor = String(found.at(-1)?.id ?? 0);
  }
}
