import { Body, Controller, Get, Param, Post, Query, Req } from '@nestjs/common';
import type { AuthenticatedAccount } from '@switchboard/auth';
import { CurrentActor, Public } from '@switchboard/nest';
import { createOffsetPage, createOffsetQuerySchema, type ListPageBody } from '@switchboard/pagination';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { errors } from './errors.js';
import { Shop, type Order } from './shop.js';

const newOrder = z.strictObject({ item: z.string().min(1) });
const page = createOffsetQuerySchema({ defaultLimit: 2, maxLimit: 10 });

@Controller('orders')
export class OrdersController {
  constructor(private readonly shop: Shop) {}

  @Post()
  place(@CurrentActor() actor: AuthenticatedAccount, @Body() body: unknown): Promise<Order> {
    const input = newOrder.safeParse(body);
    if (!input.success) throw errors.create('BAD_INPUT', { fields: { problem: z.prettifyError(input.error) } });
    return this.shop.placeOrder(actor.id, input.data.item);
  }

  @Get()
  async list(@Query() query: unknown, @Req() request: FastifyRequest): Promise<ListPageBody<Order[]>> {
    const asked = page.parse(query);
    const { database } = this.shop;
    const { rows: counted } = await database.query<{ count: number }>('SELECT count(*)::int AS count FROM orders');
    const { rows } = await database.query<Order>('SELECT id, item FROM orders ORDER BY id LIMIT $1 OFFSET $2', [
      asked.limit,
      asked.offset,
    ]);
    return createOffsetPage(`http://${request.host}${request.url}`, asked, counted[0]?.count ?? 0, rows);
  }

  @Public()
  @Get(':id')
  async get(@Param('id') id: string): Promise<Order> {
    const { rows } = await this.shop.database.query<Order>('SELECT id, item FROM orders WHERE id = $1', [id]);
    if (rows[0] === undefined) throw errors.create('ORDER_NOT_FOUND', { params: { id } });
    return rows[0];
  }
}
