import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import { toAnchorPageFlags, toAnchorIdRanges, newestAnchorId } from '@switchboard/pagination';
import type { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEvents } from '../../events/chat-events.js';
import type { ParametersOf } from '../../infra/http/parameter-decorators.js';
import { DATABASE } from '../../tokens.js';
import { invalidMessagesError } from '../../core/message-access/index.js';
import {
  accessibleMessages,
  parseMessageSelection,
  type MessageSelection,
  selectedMessagesSql,
  prepareNarrow,
  selectMessagesOfNarrow,
  selectMessages,
  NumberedSqlParameters,
} from '../../core/messages/index.js';
import { changeFlags, type FlagChangeResult, type SelectedMessages } from './change-flags.repository.js';
import { type FlagChange, parseFlagChange } from './parse-flag-change.js';
import { flagsAddEvent, flagsRemoveEvent } from './message-flags.events.js';
import type {
  flagsForNarrowResponseBody,
  flagsForNarrowParameters,
  updateFlagsResponseBody,
  updateFlagsParameters,
} from './message-flags.schemas.js';
import { limitMessageCounts } from './limit-message-counts.js';

type UpdateFlagsResponse<B extends z.ZodType> = Omit<z.infer<B>, 'result' | 'msg'>;

/** Adds and removes flags that users can set (chat-4.11 and chat-4.17, docs/contract/chat.md 5.6). */
@Injectable()
export class UpdateFlags {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly events: ChatEvents,
  ) {}

  /**
   * Adds or removes a flag of the messages with the given ids.
   *
   * @throws AppError BAD_REQUEST, `Invalid message(s)` if a message does not exist or the user has no access
   */
  updateForMessages(
    actor: ChatActor,
    parameters: ParametersOf<typeof updateFlagsParameters>,
  ): Promise<UpdateFlagsResponse<typeof updateFlagsResponseBody>> {
    const change = parseFlagChange(parameters);
    const { messages: ids } = parameters;
    return this.database.inTransaction(async (tx) => {
      const sql = new NumberedSqlParameters();
      const { from, where } = accessibleMessages(actor, sql);
      const picked = `anchor AS (SELECT NULL::bigint AS id), picked AS MATERIALIZED (
        SELECT m.id FROM ${from} WHERE ${where} AND m.id = ANY(${sql.addValue(ids)}::bigint[]))`;
      const outcome = await this.#change(tx, actor, { sql: picked, parameters: sql }, change);
      if (outcome.pickedIds.length !== new Set(ids).size) throw invalidMessagesError();
      return { messages: [...outcome.changedIds], ...getIgnoredChannelFields(change, outcome) };
    });
  }

  /**
   * Adds or removes a flag of the messages around an anchor that match the filters of a narrow.
   *
   * @throws AppError BAD_REQUEST, BAD_NARROW
   */
  updateForNarrow(
    actor: ChatActor,
    parameters: ParametersOf<typeof flagsForNarrowParameters>,
  ): Promise<UpdateFlagsResponse<typeof flagsForNarrowResponseBody>> {
    const change = parseFlagChange(parameters);
    const selection = getProcessedRange(parameters);
    return this.database.inTransaction(async (tx) => {
      const narrow = await prepareNarrow(tx, actor, parameters.narrow);
      const found = await selectMessages(tx, narrow, selection);
      const sql = new NumberedSqlParameters();
      const picked = selectedMessagesSql(found, { narrowed: selectMessagesOfNarrow(narrow, sql), parameters: sql });
      const outcome = await this.#change(tx, actor, { sql: picked, parameters: sql }, change);
      const selectedIds = found.kind === 'ids' ? found.ids : outcome.pickedIds;
      return {
        ...toProcessedRangeFields(selection, outcome, selectedIds),
        ...getIgnoredChannelFields(change, outcome),
      };
    });
  }

  async #change(tx: Tx, actor: ChatActor, picked: SelectedMessages, change: FlagChange): Promise<FlagChangeResult> {
    const outcome = await changeFlags(tx, actor.id, picked, change);
    const messageIds = [...outcome.changedIds];
    if (messageIds.length === 0) return outcome;
    const audience = { users: [actor.id] };
    const { flag } = change;
    if (change.op === 'add') {
      this.events.write(tx, actor.realmId, flagsAddEvent, { audience, payload: { flag, messageIds } });
    } else {
      const payload = { flag, messageIds, unread: [...outcome.unread] };
      this.events.write(tx, actor.realmId, flagsRemoveEvent, { audience, payload });
    }
    return outcome;
  }
}

type MessageRange = Extract<MessageSelection, { kind: 'range' }>;

function getProcessedRange(parameters: ParametersOf<typeof flagsForNarrowParameters>): MessageRange {
  // The parameters of this endpoint contain no date to use as an anchor.
  if (parameters.anchor === 'date') throw createBadRequestError('Invalid anchor');
  const selection = parseMessageSelection({
    anchor: parameters.anchor,
    include_anchor: parameters.include_anchor,
    ...limitMessageCounts(parameters),
    anchor_date: undefined,
    message_ids: undefined,
    use_first_unread_anchor: undefined,
  });
  if (selection.kind !== 'range') throw new Error('Expected a range of messages');
  return selection;
}

/**
 * Returns the response fields that state the range of the processed messages, and whether this range includes the ends
 * of the history.
 *
 * @param selectedIds Ids of all selected messages, including messages that were deleted before the flag was changed.
 */
function toProcessedRangeFields(range: MessageRange, outcome: FlagChangeResult, selectedIds: readonly number[]) {
  const { pickedIds, changedIds } = outcome;
  const window = toAnchorIdRanges(outcome.anchor ?? newestAnchorId, {
    numBefore: range.before,
    numAfter: range.after,
    includeAnchor: range.includeAnchor,
  });
  const found = toAnchorPageFlags(window, selectedIds);
  return {
    processed_count: pickedIds.length,
    updated_count: changedIds.length,
    first_processed_id: pickedIds[0] ?? null,
    last_processed_id: pickedIds.at(-1) ?? null,
    found_oldest: found.foundOldest,
    found_newest: found.foundNewest,
  };
}

function getIgnoredChannelFields({ op, flag }: FlagChange, { ignoredChannelIds }: FlagChangeResult) {
  if (op !== 'remove' || flag !== 'read') return {};
  return { ignored_because_not_subscribed_channels: [...ignoredChannelIds] };
}
