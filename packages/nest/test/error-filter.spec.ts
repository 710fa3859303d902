import 'reflect-metadata';
import {
  Body,
  Controller,
  type DynamicModule,
  Get,
  Module,
  Post,
  Query,
  Res,
  ServiceUnavailableException,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApplicationError, defineErrorCatalog, type ErrorRenderer } from '@switchboard/errors';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ErrorFilter, ErrorsModule } from '../src/index.js';

const secret = 'password=hunter2';
const errors = defineErrorCatalog({
  GONE: { status: 410, message: 'It is gone', description: '' },
  BROKEN: { status: 503, message: 'Try later', description: '' },
});

const thrown: Record<string, () => unknown> = {
  app: () => errors.create('GONE', { fields: { id: 7 }, headers: { 'x-reason': 'age' } }),
  internal: () => errors.create('GONE', { internal: secret }),
  broken: () => errors.create('BROKEN', { cause: new Error(secret) }),
  unknown: () => new TypeError(secret),
  text: () => secret,
  nest: () => new ServiceUnavailableException(secret),
  upstream: () => Object.assign(new Error(secret), { statusCode: 404 }),
  lost: () => Object.assign(new Error(secret), { code: 'ECONNREFUSED' }),
  timeout: () => Object.assign(new Error(secret), { code: '57014', severity: 'ERROR' }),
  deadlock: () => Object.assign(new Error(secret), { code: '40P01', severity: 'ERROR' }),
  serialization: () => Object.assign(new Error(secret), { code: '40001', severity: 'ERROR' }),
  value: () => Object.assign(new Error(secret), { code: '22003', severity: 'ERROR' }),
  unrenderable: () => new ApplicationError({ code: 'UNRENDERABLE', status: 400, message: secret }),
};

interface StreamingReply {
  raw: { writeHead(status: number): void; end(text: string): void };
}

@Controller()
class FailingController {
  @Get('fail')
  fail(@Query('as') name: string): never {
    throw thrown[name]?.();
  }

  @Get('links/:token/:name')
  failOfLink(): never {
    throw thrown['lost']?.();
  }

  @Get('late')
  late(@Res() reply: StreamingReply): never {
    reply.raw.writeHead(200);
    reply.raw.end('all of it');
    throw new Error('too late');
  }

  @Post('body')
  body(@Body() body: unknown): unknown {
    return body;
  }
}

@Module({ controllers: [FailingController] })
class FailingModule {}

const renderer: ErrorRenderer = {
  render(error, { requestId }) {
    if (error.code === 'UNRENDERABLE') throw new Error(`cannot render ${error.message}`);
    const body = { code: error.code, msg: error.message, ...error.fields };
    return { status: error.status, body, headers: { 'x-request-id': requestId } };
  },
  fromHttp: (status, message) => new ApplicationError({ code: `FRAME_${status}`, status, message }),
  unknown: (requestId) =>
    new ApplicationError({ code: 'INTERNAL', status: 500, message: `Request ${requestId} failed` }),
};

interface LogLine {
  level: string;
  err: unknown;
  requestId: string;
  path: string;
  message: string;
}

const lines: LogLine[] = [];
const log = (level: string) => (fields: object, message: string) => {
  lines.push({ level, message, err: undefined, requestId: '', path: '', ...fields });
};

let app: NestFastifyApplication;

beforeAll(async () => {
  app = await NestFactory.create<NestFastifyApplication>(FailingModule, new FastifyAdapter({ bodyLimit: 100 }), {
    logger: false,
  });
  const logger = { warn: log('warn'), error: log('error') };
  app.useGlobalFilters(new ErrorFilter(renderer, { logger, requestId: () => 'r-1' }));
  await app.init();
});

afterAll(() => app.close());

beforeEach(() => {
  lines.length = 0;
});

const fail = (as: string) => app.inject(`/fail?as=${as}&api_key=k`);

describe('error filter', () => {
  it('renders an ApplicationError with its fields and headers without a log line', async () => {
    const response = await fail('app');
    expect(response.statusCode).toBe(410);
    expect(response.json()).toEqual({ code: 'GONE', msg: 'It is gone', id: 7 });
    expect(response.headers).toMatchObject({ 'x-reason': 'age', 'x-request-id': 'r-1' });
    expect(lines).toEqual([]);
  });

  it('logs a path with the value of its parameter token masked', async () => {
    await app.inject('/links/s3cr%65t/a?b=c');
    expect(lines.map(({ path }) => path)).toEqual(['/links/:token/a']);
  });

  it.each([
    ['internal', 410, 'warn'],
    ['broken', 503, 'error'],
    ['unknown', 500, 'error'],
    ['text', 500, 'error'],
    ['nest', 503, 'error'],
    ['upstream', 500, 'error'],
    ['lost', 503, 'error'],
    ['timeout', 503, 'error'],
    ['deadlock', 503, 'error'],
    ['serialization', 503, 'error'],
    ['value', 400, 'warn'],
  ])('responds to %s with %i, logs the complete error once, and reveals no details', async (as, status, level) => {
    const response = await fail(as);
    expect(response.statusCode).toBe(status);
    expect(response.body + JSON.stringify(response.headers)).not.toContain(secret);
    expect(response.headers['retry-after']).toBe(status === 503 ? '5' : undefined);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level, requestId: 'r-1', path: '/fail' });
    const { err } = lines[0] ?? {};
    expect(err instanceof Error ? [err.message, err.cause, Reflect.get(err, 'internal')].join() : err).toContain(
      secret,
    );
  });

  it('includes the request id in the response to an unknown error', async () => {
    expect((await fail('unknown')).json()).toEqual({ code: 'INTERNAL', msg: 'Request r-1 failed' });
  });

  it('responds with 500 and no details when the renderer fails', async () => {
    const response = await fail('unrenderable');
    expect([response.statusCode, response.body]).toEqual([500, '{}']);
    expect(lines).toHaveLength(1);
  });

  it('passes framework errors to the renderer', async () => {
    const json = { 'content-type': 'application/json' };
    const post = (payload: string, headers: Record<string, string>) =>
      app.inject({ method: 'POST', url: '/body', payload, headers });
    const responses = await Promise.all([
      app.inject('/nowhere'),
      post('{"a"', json),
      post(JSON.stringify('x'.repeat(200)), json),
      post('<a/>', { 'content-type': 'text/xml' }),
    ]);
    expect(responses.map((response) => response.json<{ code: string }>().code)).toEqual([
      'FRAME_404',
      'FRAME_400',
      'FRAME_413',
      'FRAME_415',
    ]);
    expect(lines).toEqual([]);
  });

  it('sends no second response after a response was sent, and logs the error', async () => {
    const response = await app.inject('/late');
    expect([response.statusCode, response.body]).toEqual([200, 'all of it']);
    expect(lines).toHaveLength(1);
  });
});

describe('ErrorsModule', () => {
  const catalog = defineErrorCatalog({
    NOT_FOUND: { status: 404, message: 'There is no such page', description: '' },
    INTERNAL: { status: 500, message: 'Internal error', description: '' },
    ...errors.definitions,
  });

  /** Starts an application with the given module for error responses. Returns the responses to some test requests. */
  async function responsesOf(imported: DynamicModule): Promise<{ status: number; body: unknown }[]> {
    @Module({ imports: [imported], controllers: [FailingController] })
    class CatalogModule {}
    const adapter = new FastifyAdapter({ genReqId: () => 'r-7' });
    const service = await NestFactory.create<NestFastifyApplication>(CatalogModule, adapter, { logger: false });
    await service.init();
    const urls = ['/fail?as=app', '/nowhere', '/fail?as=unknown'];
    const responses = await Promise.all(urls.map((url) => service.inject(url)));
    await service.close();
    return responses.map((response) => ({ status: response.statusCode, body: response.json() }));
  }

  it('renders errors of the catalog, of the framework and of defects when no renderer is configured', async () => {
    const logger = { warn: log('warn'), error: log('error') };
    const byStatus = { 404: 'NOT_FOUND' } as const;
    expect(await responsesOf(ErrorsModule.forRoot({ catalog, unknown: 'INTERNAL', byStatus, logger }))).toEqual([
      { status: 410, body: { code: 'GONE', message: 'It is gone', id: 7 } },
      { status: 404, body: { code: 'NOT_FOUND', message: 'There is no such page' } },
      { status: 500, body: { code: 'INTERNAL', message: 'Internal error', requestId: 'r-7' } },
    ]);
    expect(lines.map(({ level, requestId }) => [level, requestId])).toEqual([['error', 'r-7']]);
  });

  it('uses the renderer that an asynchronous factory returns', async () => {
    const imported = ErrorsModule.forRootAsync({ useFactory: async () => ({ renderer }) });
    expect(await responsesOf(imported)).toMatchObject([
      { status: 410, body: { code: 'GONE', msg: 'It is gone', id: 7 } },
      { status: 404, body: { code: 'FRAME_404' } },
      { status: 500, body: { code: 'INTERNAL' } },
    ]);
  });
});
