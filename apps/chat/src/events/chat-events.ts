import { Inject, Injectable } from '@nestjs/common';
import type { Tx } from '@switchboard/database';
import type { Audience, EventLog } from '@switchboard/queue';
import type { z } from 'zod';
import { EVENT_LOG } from '../tokens.js';
import type { EventType } from './event-type.js';

/** An event about to be written: who it is for, complete, and what the log keeps of it. */
export interface OutgoingEvent<P> {
  readonly audience: Audience;
  readonly payload: P;
}

/** Writes events of declared types into the realm's log, in the transaction of the change that caused them. */
@Injectable()
export class ChatEvents {
  constructor(@Inject(EVENT_LOG) private readonly log: EventLog) {}

  /** @throws ZodError when the payload is not of its type: a mistake in the code, found before the commit. */
  write<P extends z.ZodType>(tx: Tx, realmId: number, type: EventType<P>, event: OutgoingEvent<z.output<P>>): void {
    const payload = type.payload.parse(event.payload);
    this.log.write(tx, { realm: String(realmId), audience: event.audience, event: { name: type.name, payload } });
  }
}
