import { z } from 'zod';
import { maxEditHistoryEntries } from '../../../core/messages/index.js';
import { parseArchiveJson } from './archive/archive-row.js';

/** Schema of an entry in the edit history of an archived message. Old archives call the topic `subject`. */
const archivedMessageEditSchema = z.object({
  user_id: z.int().nullable().optional(),
  timestamp: z.number(),
  prev_content: z.string().optional(),
  prev_stream: z.int().optional(),
  stream: z.int().optional(),
  prev_topic: z.string().optional(),
  prev_subject: z.string().optional(),
  topic: z.string().optional(),
});

/**
 * The edit history of a message as this service stores it. Contains the times of the last edit
 * and of the last move.
 */
export interface ConvertedEditHistory {
  readonly history: readonly object[] | null;
  readonly lastEditAt: string | null;
  readonly lastMovedAt: string | null;
}

/**
 * Converts the edit history of an archived message from JSON text to the form of this service. Earlier contents are
 * rendered to HTML again.
 *
 * @returns null if the text is not an edit history
 */
export function convertArchivedEditHistory(
  text: string | null,
  render: (content: string) => string,
): ConvertedEditHistory | null {
  if (text === null) return { history: null, lastEditAt: null, lastMovedAt: null };
  const parsed = z.array(archivedMessageEditSchema).safeParse(parseArchiveJson(text));
  if (!parsed.success) return null;
  const edits = parsed.data.slice(0, maxEditHistoryEntries);
  const contentEdit = edits.find((edit) => edit.prev_content !== undefined);
  const move = edits.find(isMessageMoveEdit);
  return {
    history: edits.length === 0 ? null : edits.map((edit) => convertToStoredMessageEdit(edit, render)),
    lastEditAt: contentEdit === undefined ? null : unixSecondsToIsoTime(contentEdit.timestamp),
    lastMovedAt: move === undefined ? null : unixSecondsToIsoTime(move.timestamp),
  };
}

type ArchivedMessageEdit = z.output<typeof archivedMessageEditSchema>;

const getPreviousTopic = (edit: ArchivedMessageEdit): string | undefined => edit.prev_topic ?? edit.prev_subject;

/**
 * Returns true if an edit moved the message to another channel or topic. Resolving or unresolving a topic is not a
 * move.
 */
function isMessageMoveEdit(edit: ArchivedMessageEdit): boolean {
  if (edit.prev_stream !== undefined) return true;
  const previous = getPreviousTopic(edit);
  if (previous === undefined) return false;
  return edit.topic === undefined || removeResolvedTopicPrefix(previous) !== removeResolvedTopicPrefix(edit.topic);
}

function removeResolvedTopicPrefix(topic: string): string {
  return topic.replace(/^✔ /, '');
}

function convertToStoredMessageEdit(edit: ArchivedMessageEdit, render: (content: string) => string): object {
  const previousTopic = getPreviousTopic(edit);
  return {
    user_id: edit.user_id ?? null,
    timestamp: Math.floor(edit.timestamp),
    ...(edit.prev_content !== undefined && {
      prev_content: edit.prev_content,
      prev_rendered_content: render(edit.prev_content),
    }),
    ...(edit.prev_stream !== undefined && { prev_stream: edit.prev_stream }),
    ...(edit.stream !== undefined && { stream: edit.stream }),
    ...(previousTopic !== undefined && { prev_topic: previousTopic }),
    ...(edit.topic !== undefined && { topic: edit.topic }),
  };
}

function unixSecondsToIsoTime(seconds: number): string | null {
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
