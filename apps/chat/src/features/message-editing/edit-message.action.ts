import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import { type Outbox, transactionHandle } from '@switchboard/queue';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { MessageRenderer, type RealmMarkdownRenderingSettings } from '../../infra/markdown/index.js';
import { createOverloadedError } from '../../errors.js';
import { CLOCK_TOKEN, DATABASE_TOKEN, OUTBOX_TOKEN, MESSAGE_RENDERER_TOKEN } from '../../tokens.js';
import { AlertWordAndMuteCache } from '../../core/alert-words-and-mutes/index.js';
import { type LockedMessage, lockMessage, MessageReaders } from '../../core/message-access/index.js';
import type { WireAttachment } from '../../core/attachments/index.js';
import {
  ClientProgramIdCache,
  internalClientName,
  missedMessageCheckOutboxMessage,
  updateUploadReferences,
} from '../../core/messages/index.js';
import { RealmMarkdownSettingsCache } from '../../core/realm-markdown-settings/index.js';
import { prepareMessageContentEdit } from './edit-message-content.js';
import type { editMessageParameters } from './edit-message.schemas.js';
import { type MessageEditRequest, parseMessageEditRequest } from './edit-message-request.js';
import { getMessageEditingUser } from './get-message-editor.js';
import { moveMessagesAndEmitEvents } from './move-messages.js';
import { MoveInProgressError } from './move-in-progress-error.js';
import { planMessageMove } from './plan-message-move.js';
import { MovedMessagesTooOldError, createTooOldMessagesResponse } from './too-old-messages-error.js';
import { RunStoredMoves } from './run-stored-moves.action.js';
import { addStoredMove } from './stored-message-moves.repository.js';
import { emitMessageUpdate } from './emit-message-update.js';
import {
  type MessageEditToWrite,
  type MessageMoveEdit,
  writeMessageContent,
  writeMessageEdit,
  updateMentionFlags,
} from './write-message-edit.repository.js';
import { LargeTopicError, readLargeTopic, type TopicMessageIdsReadOptions } from './read-topic-messages.repository.js';
import { lockRealmMembership } from '../../core/database-locks.js';

/** Data that are needed to edit a message in addition to the message, such as the request and the realm's settings. */
interface MessageEditContext {
  readonly request: MessageEditRequest;
  readonly clientId: number;
  readonly realm: RealmMarkdownRenderingSettings;
  /** Ids of the users with an alert word that occurs in the new content of the message. */
  readonly alertedIds: readonly number[];
}

/** Result of a transaction that edits or moves a message. */
interface MessageEditResult {
  readonly detached: WireAttachment[];
  /** Id of a stored move of messages that must be completed after the transaction; null if no move remains. */
  readonly moveId: number | null;
}

const unchangedMessageEditResult: MessageEditResult = { detached: [], moveId: null };

/**
 * Maximum number of attempts to edit a message. Each further attempt follows the completion of another move of the
 * message's topic.
 */
const maxEditAttempts = 5;

/**
 * Edits the content of a message, or moves the message together with other messages of its topic (docs/contract/chat.md
 * 5.7).
 */
@Injectable()
export class EditMessage {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(MESSAGE_RENDERER_TOKEN) private readonly renderer: MessageRenderer,
    @Inject(CLOCK_TOKEN) private readonly clock: Clock,
    private readonly events: ChatEventWriter,
    private readonly clients: ClientProgramIdCache,
    private readonly contents: RealmMarkdownSettingsCache,
    private readonly attention: AlertWordAndMuteCache,
    @Inject(OUTBOX_TOKEN) private readonly outbox: Outbox,
    private readonly moves: RunStoredMoves,
    private readonly readers: MessageReaders,
  ) {}

  /**
   * Edits a message.
   *
   * @throws ApplicationError BAD_REQUEST, EXPECTATION_MISMATCH, MOVE_MESSAGES_TIME_LIMIT_EXCEEDED and the errors of
   * sending
   */
  async run(
    actor: ChatActor,
    id: number,
    parameters: DecodedParametersOfDefinition<typeof editMessageParameters>,
    origin: string,
  ): Promise<{ detached_uploads: WireAttachment[] }> {
    const request = parseMessageEditRequest(parameters);
    const tools = { renderer: this.renderer, realm: await this.contents.get(actor.realmId, origin) };
    const { alertedIds } = await this.attention.findAlertedAndMutingUsers(
      actor.realmId,
      actor.id,
      request.content ?? '',
    );
    const clientId = await this.clients.getClientId(internalClientName);
    const surroundings = { request, clientId, realm: tools.realm, alertedIds };
    const { detached, moveId } = await this.#runAfterOtherMoves(actor, (reading) =>
      this.database.inTransaction(async (tx) => {
        const message = await this.#lock(tx, actor, id, request);
        const editor = await getMessageEditingUser(tx, actor, this.clock.now());
        const content = await prepareMessageContentEdit(editor, tools, message, request);
        const move = await planMessageMove(editor, message, request, reading);
        if (content === null && move === null) return unchangedMessageEditResult;
        const edit = { editorId: actor.id, at: editor.nowMs, content, move };
        const stored = await this.#write(tx, message, edit, surroundings);
        if (content === null) return { ...unchangedMessageEditResult, moveId: stored };
        const uploads = await updateUploadReferences(tx, this.events, actor, message.id, content.uploadPaths);
        return { detached: uploads, moveId: stored };
      }),
    );
    if (moveId !== null) await this.moves.finishMove(moveId);
    return { detached_uploads: detached };
  }

  /**
   * Runs an edit of a message. If another move of the same topic must be completed first, completes that move and
   * repeats the edit. Reads the message ids of a large topic before the transaction, so that users can send messages
   * during the read.
   *
   * @throws ApplicationError SERVICE_UNAVAILABLE, MOVE_MESSAGES_TIME_LIMIT_EXCEEDED
   */
  async #runAfterOtherMoves(
    actor: ChatActor,
    edit: (reading: TopicMessageIdsReadOptions) => Promise<MessageEditResult>,
  ): Promise<MessageEditResult> {
    let known: TopicMessageIdsReadOptions['known'] = null;
    for (let start = 1; start <= maxEditAttempts; start += 1) {
      try {
        return await edit({ known, readsAll: start === maxEditAttempts });
      } catch (error) {
        if (error instanceof MoveInProgressError) await this.moves.finishMove(error.moveId);
        else if (error instanceof MovedMessagesTooOldError)
          throw await createTooOldMessagesResponse(this.database, actor, error);
        else if (error instanceof LargeTopicError) known = await readLargeTopic(this.database, error);
        else throw error;
      }
    }
    throw createOverloadedError();
  }

  async #lock(tx: Tx, actor: ChatActor, id: number, request: MessageEditRequest): Promise<LockedMessage> {
    if (request.channelId !== undefined) await lockRealmMembership(tx, actor.realmId, 'shared');
    const moves = request.topic !== undefined || request.channelId !== undefined;
    return lockMessage(tx, actor, id, { purpose: moves ? 'settings' : 'messages', alsoChannelId: request.channelId });
  }

  /**
   * Writes the edit of a locked message.
   *
   * @returns the id of a stored move of messages that must be completed after the transaction; null if no move remains
   */
  async #write(
    tx: Tx,
    message: LockedMessage,
    edit: MessageEditToWrite,
    notices: MessageEditContext,
  ): Promise<number | null> {
    const { content, move } = edit;
    const tools = { events: this.events, renderer: this.renderer, realm: notices.realm, readers: this.readers };
    if (content !== null) {
      await writeMessageContent(tx, message.id, content, edit.at);
      const userIds = await updateMentionFlags(tx, message, content, notices.alertedIds);
      if (userIds.length > 0)
        this.outbox.add(transactionHandle(tx), missedMessageCheckOutboxMessage, { messageId: message.id, userIds });
    }
    if (move === null || (move.isFull && content !== null)) {
      const { id, channel } = message;
      const readers = await this.readers.listByFlags(tx, { messageIds: [id], flagsOf: id, channel });
      const alone = { ...edit, move: null };
      await writeMessageEdit(tx, message, alone);
      emitMessageUpdate(tx, tools, message, alone, readers);
    }
    if (move === null) return null;
    if (move.isFull) return this.#storeMove(tx, message, { ...edit, move }, notices.request);
    await moveMessagesAndEmitEvents(tx, tools, message, { ...edit, move }, notices);
    return null;
  }

  #storeMove(
    tx: Tx,
    message: LockedMessage,
    { editorId, at, move }: MessageMoveEdit,
    request: MessageEditRequest,
  ): Promise<number> {
    const { realmId } = message;
    return addStoredMove(tx, { realmId, actorId: editorId, message, plan: move, request, editedAtMs: at });
  }
}
