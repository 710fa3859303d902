import type { Tx } from '@switchboard/database';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import {
  maxEditHistoryEntries,
  removeEmptyTopics,
  createTopicRenamingHistorySql,
  shownMoveTimeSql,
} from '../../core/messages/index.js';
import type { MessageMoveEdit } from './write-message-edit.repository.js';

/**
 * Renames a whole topic to a name that no other topic with messages has. The message rows are not changed, because the
 * new name is applied when messages are read. If the request also edits the content of a message, one history entry
 * records the edit and the renaming.
 */
export async function writeTopicRenaming(
  tx: Tx,
  messageId: number,
  topicId: number,
  edit: MessageMoveEdit,
): Promise<void> {
  const { content, move } = edit;
  const key = normalizeTextForComparison(move.topic);
  await removeEmptyTopics(tx, move.destination.recipientId, [key]);
  await tx.query(writeTopicRenamingSql, [
    topicId,
    edit.editorId,
    new Date(edit.at),
    move.topic,
    key,
    move.resolution !== null,
  ]);
  if (content === null) return;
  const replaced = { prev_content: content.change.before, prev_rendered_content: content.change.renderedBefore };
  await tx.query(writeContentWithRenamingSql, [messageId, JSON.stringify(replaced)]);
}

/**
 * SQL that stores the renaming of a topic. The number of stored renamings is limited to the number of edits that a
 * message shows.
 */
const writeTopicRenamingSql = `
  WITH renaming AS (
    INSERT INTO topic_renamings (topic_id, previous_id, user_id, renamed_at, topic_before, topic, is_resolution)
    SELECT id, last_renaming_id, $2, $3, topic, $4, $6 FROM topics WHERE id = $1 RETURNING id
  ), old AS (
    DELETE FROM topic_renamings WHERE topic_id = $1 AND id <= (
      SELECT id FROM topic_renamings WHERE topic_id = $1 ORDER BY id DESC OFFSET ${maxEditHistoryEntries - 1} LIMIT 1)
  )
  UPDATE topics SET topic = $4, topic_key = $5, last_renaming_id = renaming.id FROM renaming WHERE topics.id = $1`;

const writeContentWithRenamingSql = `
  UPDATE messages m SET
    edit_history = jsonb_path_query_array(
      jsonb_build_array((${createTopicRenamingHistorySql('m')}) -> 0 || $2::jsonb) || ((${createTopicRenamingHistorySql('m')}) - 0)
      || coalesce(m.edit_history, '[]'), '$[0 to ${maxEditHistoryEntries - 1}]'),
    last_moved_at = ${shownMoveTimeSql('m')},
    topic = NULL,
    topic_since = mt.last_renaming_id
  FROM topics mt WHERE m.id = $1 AND mt.id = m.topic_id`;
