import type { Tx } from '@switchboard/database';
import type { SubmessageRecord } from '../wire/message-record-schema.js';

/** A new entry of a poll or to-do list. The property `content` is JSON. */
interface NewSubmessage {
  readonly messageId: number;
  readonly senderId: number;
  readonly content: string;
}

/**
 * Returns the poll or to-do list that a message defines, in the JSON form that clients understand. The message is
 * `/poll` with a question and options, `/todo` with a title and tasks, one per line (docs/contract/chat.md 5.2).
 * Returns undefined for other messages.
 */
function parseMessageWidget(content: string): string | undefined {
  const match = /^\/(poll|todo)(?: +([^\n]*))?(?:\n([\s\S]*))?$/.exec(content);
  if (match === null) return undefined;
  const [, kind, heading = '', rest = ''] = match;
  const lines = rest.split('\n').map((line) => line.replace(/^\s*(?:[-*]\s+)?/, '').trim());
  const entries = lines.filter((line) => line !== '');
  const title = heading.trim();
  return JSON.stringify(
    kind === 'poll'
      ? { widget_type: 'poll', extra_data: { question: title, options: entries } }
      : { widget_type: 'todo', extra_data: { task_list_title: title, tasks: entries.map(parseTodoTask) } },
  );
}

/** Parses one line of a to-do list in the form `task: description`. Returns the task and its description. */
function parseTodoTask(line: string) {
  const [task = '', ...description] = line.split(':');
  return { task: task.trim(), desc: description.join(':').trim() };
}

/**
 * Inserts the entry that defines the poll or to-do list of a message. Returns null, without an SQL statement, if the
 * message defines no widget.
 */
export async function insertMessageWidget(tx: Tx, message: NewSubmessage): Promise<SubmessageRecord | null> {
  const widget = parseMessageWidget(message.content);
  return widget === undefined ? null : addSubmessage(tx, { ...message, content: widget });
}

/** Inserts an entry of a message's poll or to-do list. */
export async function addSubmessage(
  tx: Tx,
  { messageId, senderId, content }: NewSubmessage,
): Promise<SubmessageRecord> {
  const { rows } = await tx.query<SubmessageRecord>(
    `INSERT INTO submessages (message_id, sender_id, msg_type, content) VALUES ($1, $2, 'widget', $3)
     RETURNING id, message_id, sender_id, msg_type, content`,
    [messageId, senderId, content],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('An insert returned no row');
  return row;
}
