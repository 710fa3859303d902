import { Controller, Get, Post, Query } from '@nestjs/common';
import type { AuthenticatedAccount } from '@switchboard/auth';
import { CurrentActor } from '@switchboard/nest';
import { BadEventQueueError, type ClientEvent, type RegisteredEventQueue } from '@switchboard/queue';
import { z } from 'zod';
import { errors } from './errors.js';
import { realm, Shop, type Order } from './shop.js';

const pollQuery = z.object({ queue_id: z.string(), last_event_id: z.coerce.number().int() });

@Controller('events')
export class EventsController {
  constructor(private readonly shop: Shop) {}

  @Post()
  register(@CurrentActor() actor: AuthenticatedAccount): Promise<RegisteredEventQueue<Order[]>> {
    return this.shop.events.register(
      { realm, owner: String(actor.id), idleTimeoutSeconds: 600, filter: {}, capabilities: {} },
      async (tx) => (await tx.query<Order>('SELECT id, item FROM orders ORDER BY id')).rows,
    );
  }

  @Get()
  async poll(@CurrentActor() actor: AuthenticatedAccount, @Query() query: unknown): Promise<ClientEvent[]> {
    const { queue_id: queueId, last_event_id: lastEventId } = pollQuery.parse(query);
    const request = { realm, owner: String(actor.id), queueId, lastEventId, block: true };
    try {
      return await this.shop.events.poll(request, ({ event }) => [{ ...event }]);
    } catch (error) {
      if (error instanceof BadEventQueueError) throw errors.create('QUEUE_GONE', { cause: error });
      throw error;
    }
  }
}
