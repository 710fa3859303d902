import { Inject, Injectable } from '@nestjs/common';
import type { Tx } from '@switchboard/database';
import { type Audience, EntryTooLongError, type EventLog, transactionHandle } from '@switchboard/queue';
import type { z } from 'zod';
import type { ChatConfig } from '../config.js';
import { createBadRequestError } from '../errors.js';
import { CHAT_CONFIG_TOKEN, EVENT_LOG_TOKEN } from '../tokens.js';
import type { ConversationOfEvent, AdditionalEventReceiver } from './event-sink-interface.js';
import type { EventType } from './define-event-type.js';

/** An event that will be written to the event log: its recipients and payload. */
export interface EventToWrite<P> {
  readonly audience: Audience;
  readonly payload: P;
  /**
   * Conversation of the messages that the event is about. Required for webhooks, which receive events of a conversation
   * in order.
   */
  readonly conversation?: ConversationOfEvent;
  /**
   * Ids of users who are not recipients of the event and can still read the messages that the event reports as removed.
   * The webhooks of these users do not receive the event.
   */
  readonly remainingReaders?: ReadonlySet<number> | undefined;
}

/**
 * Name of the event log entry that ends all event queues of its recipients. The entry applies to all queues, whatever
 * event types they fetch.
 */
export const eventQueueEndEntryName = 'queue/end';

/** Writes events into the event log of a realm, in the same transaction as the change that the events report. */
@Injectable()
export class ChatEventWriter {
  readonly #checks: boolean;

  constructor(
    @Inject(EVENT_LOG_TOKEN) private readonly log: Pick<EventLog, 'write'>,
    @Inject(CHAT_CONFIG_TOKEN) config: Pick<ChatConfig, 'NODE_ENV'>,
    private readonly sink?: AdditionalEventReceiver,
  ) {
    // TypeScript checks the shape. Bounds and patterns are checked outside production only, to find mistakes in tests.
    this.#checks = config.NODE_ENV !== 'production';
  }

  /**
   * Writes an event as one log entry, or as several entries if one entry would be too long. The same transaction adds
   * the event to the sink, which may send it to webhooks.
   *
   * @throws ApplicationError BAD_REQUEST when no division makes the event short enough. The caller must then roll back.
   * @throws ZodError outside production when the payload is not of its type, before the transaction commits
   */
  write<P extends z.ZodType>(tx: Tx, realmId: number, type: EventType<P>, event: EventToWrite<z.output<P>>): void {
    const payload = this.#checks ? type.payload.parse(event.payload) : event.payload;
    this.#writeParts(tx, realmId, type, { ...event, payload });
  }

  #writeParts<P extends z.ZodType>(
    tx: Tx,
    realmId: number,
    type: EventType<P>,
    event: EventToWrite<z.output<P>>,
  ): void {
    const { audience, payload, conversation, remainingReaders } = event;
    try {
      const weight = type.countClientEvents(payload);
      this.log.write(transactionHandle(tx), {
        realm: String(realmId),
        audience,
        event: { name: type.name, payload },
        weight,
      });
      this.sink?.add(tx, { realmId, type, audience, payload: payload as object, conversation, remainingReaders });
    } catch (error) {
      if (!(error instanceof EntryTooLongError)) throw error;
      const halves = type.dividePayload(payload);
      if (halves === null)
        throw createBadRequestError('The request is too large: its event would exceed the size limit.');
      for (const half of halves) this.#writeParts(tx, realmId, type, { ...event, payload: half });
    }
  }

  /**
   * Sends an event only to webhooks and not to event queues. Used for events without recipients, because webhooks may
   * also receive events of channels that their owners can read.
   */
  sendEventToWebhooks<P extends z.ZodType>(
    tx: Tx,
    realmId: number,
    type: EventType<P>,
    event: Omit<EventToWrite<z.output<P>>, 'audience'>,
  ): void {
    const { payload, conversation, remainingReaders } = event;
    const audience = { users: [] };
    this.sink?.add(tx, { realmId, type, audience, payload: payload as object, conversation, remainingReaders });
  }

  /**
   * Ends the event queues of the given accounts when the transaction commits: pending polls end, and the next poll
   * returns BAD_EVENT_QUEUE_ID. Used for accounts that were deactivated, got another API key, or may see less than
   * before (docs/contract/chat.md 3.1). The function writes an event log entry, which takes effect even if the process
   * crashes right after the commit.
   */
  endEventQueuesOfAccounts(tx: Tx, realmId: number, userIds: readonly number[]): void {
    if (userIds.length === 0) return;
    this.log.write(transactionHandle(tx), {
      realm: String(realmId),
      audience: { users: userIds },
      event: { name: eventQueueEndEntryName },
    });
  }
}
