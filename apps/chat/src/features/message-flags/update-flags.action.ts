import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import { toAnchorPageFlags, toAnchorIdRanges, newestAnchorId } from '@switchboard/pagination';
import type { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { createInvalidMessagesError } from '../../core/message-access/index.js';
import {
  selectAccessibleMessageClauses,
  parseMessageSelection,
  type MessageSelection,
  selectedMessagesSql,
  parseAndCheckNarrow,
  createSelectedMessagesSql,
  findAnchorAndPageMessages,
  NumberedSqlParameters,
} from '../../core/messages/index.js';
import { changeFlags, type MessageFlagChangeResult, type SelectedMessagesSql } from './change-flags.repository.js';
import { type MessageFlagChange, parseFlagChange } from './parse-flag-change.js';
import { flagsAddEvent, flagsRemoveEvent } from './message-flags.events.js';
import type {
  narrowFlagUpdateResponseBody,
  narrowFlagUpdateParameters,
  messageFlagUpdateResponseBody,
  messageFlagUpdateParameters,
} from './message-flags.schemas.js';
import { limitMessageCounts } from './limit-message-counts.js';

type MessageFlagUpdateResponse<B extends z.ZodType> = Omit<z.infer<B>, 'result' | 'msg'>;

/** Adds and removes flags that users can set (chat-4.11 and chat-4.17, docs/contract/chat.md 5.6). */
@Injectable()
export class UpdateMessageFlags {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly events: ChatEventWriter,
  ) {}

  /**
   * Adds or removes a flag of the messages with the given ids.
   *
   * @throws ApplicationError BAD_REQUEST, `Invalid message(s)` if a message does not exist or the user has no access
   */
  updateFlagOfMessages(
    actor: ChatActor,
    parameters: DecodedParametersOfDefinition<typeof messageFlagUpdateParameters>,
  ): Promise<MessageFlagUpdateResponse<typeof messageFlagUpdateResponseBody>> {
    const change = parseFlagChange(parameters);
    const { messages: ids } = parameters;
    return this.database.inTransaction(async (tx) => {
      const sql = new NumberedSqlParameters();
      const { from, where } = selectAccessibleMessageClauses(actor, sql);
      const picked = `anchor AS (SELECT NULL::bigint AS id), picked AS MATERIALIZED (
        SELECT m.id FROM ${from} WHERE ${where} AND m.id = ANY(${sql.addValue(ids)}::bigint[]))`;
      const outcome = await this.#change(tx, actor, { sql: picked, parameters: sql }, change);
      if (outcome.pickedIds.length !== new Set(ids).size) throw createInvalidMessagesError();
      return { messages: [...outcome.changedIds], ...getIgnoredChannelFields(change, outcome) };
    });
  }

  /**
   * Adds or removes a flag of the messages around an anchor that match the filters of a narrow.
   *
   * @throws ApplicationError BAD_REQUEST, BAD_NARROW
   */
  updateFlagInNarrow(
    actor: ChatActor,
    parameters: DecodedParametersOfDefinition<typeof narrowFlagUpdateParameters>,
  ): Promise<MessageFlagUpdateResponse<typeof narrowFlagUpdateResponseBody>> {
    const change = parseFlagChange(parameters);
    const selection = getMessageRangeToUpdate(parameters);
    return this.database.inTransaction(async (tx) => {
      const narrow = await parseAndCheckNarrow(tx, actor, parameters.narrow);
      const found = await findAnchorAndPageMessages(tx, narrow, selection);
      const sql = new NumberedSqlParameters();
      const picked = selectedMessagesSql(found, { narrowed: createSelectedMessagesSql(narrow, sql), parameters: sql });
      const outcome = await this.#change(tx, actor, { sql: picked, parameters: sql }, change);
      const selectedIds = found.kind === 'ids' ? found.ids : outcome.pickedIds;
      return {
        ...toUpdatedRangeFields(selection, outcome, selectedIds),
        ...getIgnoredChannelFields(change, outcome),
      };
    });
  }

  async #change(
    tx: Tx,
    actor: ChatActor,
    picked: SelectedMessagesSql,
    change: MessageFlagChange,
  ): Promise<MessageFlagChangeResult> {
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

type MessageRangeAroundAnchor = Extract<MessageSelection, { kind: 'range' }>;

function getMessageRangeToUpdate(
  parameters: DecodedParametersOfDefinition<typeof narrowFlagUpdateParameters>,
): MessageRangeAroundAnchor {
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
 * Returns the response fields that state the range of the processed messages, and whether this range includes the
 * oldest and the newest message.
 *
 * @param selectedIds Ids of all selected messages, including messages that were deleted before the flag was changed.
 */
function toUpdatedRangeFields(
  range: MessageRangeAroundAnchor,
  outcome: MessageFlagChangeResult,
  selectedIds: readonly number[],
) {
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

function getIgnoredChannelFields({ op, flag }: MessageFlagChange, { ignoredChannelIds }: MessageFlagChangeResult) {
  if (op !== 'remove' || flag !== 'read') return {};
  return { ignored_because_not_subscribed_channels: [...ignoredChannelIds] };
}
