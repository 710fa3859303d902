import { type CanActivate, Controller, type ExecutionContext, Get, Injectable, Module } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { Jobs, Outbox } from '@switchboard/queue';
import { waitFor } from '@switchboard/testing';
import type { FastifyRequest } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QueueBoardModule } from '../src/board.js';
import { OnJob, OnOutboxMessage, QueueModule } from '../src/index.js';
import { orderPlaced, QueueServers, sendReceipt } from './queue-test-service.js';

const samePage = { 'sec-fetch-site': 'same-origin' };
const administrator = { authorization: 'root' };

@Injectable()
class Administrators {
  includes({ headers }: FastifyRequest): boolean {
    return headers.authorization === administrator.authorization;
  }
}

@Module({ providers: [Administrators], exports: [Administrators] })
class UsersModule {}

@Injectable()
class AdministratorGuard implements CanActivate {
  constructor(private readonly administrators: Administrators) {}

  canActivate(context: ExecutionContext): boolean {
    return this.administrators.includes(context.switchToHttp().getRequest<FastifyRequest>());
  }
}

@Injectable()
class FailingHandlers {
  @OnJob(sendReceipt)
  async send(): Promise<void> {
    throw new Error('the printer is broken');
  }

  @OnOutboxMessage(orderPlaced, { maxAttempts: 1 })
  async handle(): Promise<void> {
    throw new Error('the warehouse is closed');
  }
}

@Controller('orders')
class OrdersController {
  @Get()
  list(): string[] {
    return [];
  }
}

let servers: QueueServers;
let application: NestFastifyApplication;

beforeAll(async () => {
  servers = await QueueServers.open();
  const built = await Test.createTestingModule({
    imports: [
      QueueModule.forRoot({ ...servers.connections, jobs: { definitions: [sendReceipt] }, eventLog: {} }),
      QueueBoardModule.forRoot({
        path: 'admin/board',
        guard: AdministratorGuard,
        imports: [UsersModule],
        title: 'Orders',
      }),
    ],
    controllers: [OrdersController],
    providers: [FailingHandlers],
  }).compile();
  application = built.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
  application.setGlobalPrefix('internal');
  await application.init();
  await application.getHttpAdapter().getInstance().ready();
});

afterAll(async () => {
  await application?.close();
  await servers?.close();
});

async function send(method: 'GET' | 'PUT', path: string, headers: Record<string, string> = administrator) {
  const response = await application.inject({ method, url: `/internal/admin/board${path}`, headers });
  return { status: response.statusCode, text: response.body, json: () => response.json<Record<string, unknown>>() };
}

describe('QueueBoardModule.forRoot', () => {
  it('rejects requests that the guard rejects, and affects no other controller', async () => {
    for (const path of ['', '/', '/queue/receipts.send', '/api/queues', '/static/favicon.ico', '/event-log']) {
      const { status, json } = await send('GET', path, {});
      expect([path, status, json()]).toEqual([
        path,
        403,
        { statusCode: 403, error: 'Forbidden', message: 'Forbidden resource' },
      ]);
      expect([path, (await send('GET', path)).status]).toEqual([path, 200]);
    }
    expect((await application.inject('/internal/orders')).statusCode).toBe(200);
  });

  it('serves the page below the global prefix of the application', async () => {
    const { text } = await send('GET', '');
    expect(text).toContain('<base href="/internal/admin/board/" />');
    expect(text).toContain('<title>Orders</title>');
  });

  it('shows and changes jobs or dead letters of QueueModule', async () => {
    await application.get(Jobs).add({ ...sendReceipt, attempts: 1 }, { orderId: 1 }, { id: 'one' });
    await servers.placeOrder(application.get(Outbox), 2);
    const queues = await waitFor(async () => {
      const { queues: listed } = (await send('GET', '/api/queues')).json() as {
        queues: { name: string; counts: { failed: number } }[];
      };
      return listed.length === 2 && listed.every(({ counts }) => counts.failed === 1) && listed;
    });
    expect(queues.map(({ name }) => name)).toEqual(['receipts.send', 'outbox:orders.placed']);
    const path = '/api/queues/receipts.send/one/clean';
    const rejected = await send('PUT', path, { ...administrator, origin: 'https://elsewhere.example' });
    expect([rejected.status, rejected.json()]).toEqual([
      403,
      {
        statusCode: 403,
        code: 'BOARD_CROSS_SITE_REQUEST',
        message: 'The request does not come from the board itself',
      },
    ]);
    expect((await send('PUT', path, samePage)).status).toBe(403);
    expect((await send('PUT', path, { ...administrator, ...samePage })).status).toBe(204);
    expect((await send('GET', '/api/queues/receipts.send/one')).status).toBe(404);
    expect((await send('GET', '/unknown')).status).toBe(404);
    expect((await send('GET', '/api/event-log')).json()).toMatchObject({ realms: [], next: null });
  });
});

describe('QueueBoardModule.forRootAsync', () => {
  it('uses the options of a factory, and shows no parts that the service does not have', async () => {
    const guard: CanActivate = { canActivate: () => true };
    const board = QueueBoardModule.forRootAsync({
      path: 'board',
      guard,
      inject: [Administrators],
      imports: [UsersModule],
      useFactory: (users: Administrators) => ({ title: users.constructor.name }),
    });
    const built = await Test.createTestingModule({ imports: [board] }).compile();
    const other = built.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
    await other.init();
    expect((await other.inject('/board')).body).toContain('<title>Administrators</title>');
    expect((await other.inject('/board/api/queues')).json()).toEqual({ queues: [] });
    expect((await other.inject('/board/event-log')).statusCode).toBe(404);
    await other.close();
  });

  it('throws an error without a guard', () => {
    const options = { path: 'board', useFactory: () => ({}) } as unknown as Parameters<
      typeof QueueBoardModule.forRootAsync
    >[0];
    expect(() => QueueBoardModule.forRootAsync(options)).toThrow(/guard/i);
  });
});
