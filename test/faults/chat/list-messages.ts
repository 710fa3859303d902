import { readChatResponse } from '../responses.js';
import { member } from '../http.js';
import type { ChatUser } from './chat-user.js';
import { conversation } from './message-writer.js';

const pageSize = 1000;

/** Returns all messages of the test's topic by message id. Returns null if the service is temporarily unavailable. */
export async function listMessages(user: ChatUser): Promise<{ id: number; content: string }[] | null> {
  const narrow = JSON.stringify([
    ['channel', conversation.channel],
    ['topic', conversation.topic],
  ]);
  const found: { id: number; content: string }[] = [];
  for (let anchor = '0'; ;) {
    const query = {
      anchor,
      narrow,
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
