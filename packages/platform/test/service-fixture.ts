import { Writable } from 'node:stream';
import { ApplicationError, type ErrorRenderer } from '@switchboard/errors';
import { Body, Controller, Get, HttpCode, Module, Param, Post, type Type } from '@nestjs/common';
import {
  createLogger,
  getCurrentRequestId,
  ProcessHealth,
  Metrics,
  parseEnvironmentValues,
  platformEnvironmentSchema,
  requestContextStorage,
} from '../src/index.js';
import type { Logger, ServiceOptions } from '../src/index.js';

/** Test stream that collects the log lines of a service. */
export class LogLines extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }

  get lines(): Record<string, unknown>[] {
    return this.text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }

  find(msg: string): Record<string, unknown>[] {
    return this.lines.filter((line) => line['msg'] === msg);
  }
}

export function logTo(lines: LogLines, level: 'info' | 'debug' = 'info'): Logger {
  return createLogger({ level, name: 'test', destination: lines });
}

/**
 * Delays requests in a handler of a test service. `held` resolves when a request has arrived, and `release` lets the
 * request continue.
 */
export class Gate {
  readonly held: Promise<void>;
  readonly released: Promise<void>;
  #hold = (): void => {};
  #release = (): void => {};

  constructor() {
    this.held = new Promise((resolve) => (this.#hold = resolve));
    this.released = new Promise((resolve) => (this.#release = resolve));
  }

  async pass(): Promise<void> {
    this.#hold();
    await this.released;
  }

  release(): void {
    this.#release();
  }
}

export const gates = new Map<string, Gate>();

@Controller('things')
class ThingsController {
  @Get()
  list() {
    return { things: [] };
  }

  @Get('large')
  large() {
    return { text: 'all work and no play '.repeat(500) };
  }

  @Get('held/:gate')
  async held(@Param('gate') gate: string) {
    await gates.get(gate)?.pass();
    return { gate };
  }

  @Get('broken')
  broken() {
    throw Object.assign(new Error('the secret recipe'), { password: 'hunter2' });
  }

  @Get('refused')
  refused() {
    throw new ApplicationError({ code: 'REFUSED', status: 403, message: 'Not yours' });
  }

  @Get(':id')
  one(@Param('id') id: string) {
    return { id };
  }

  @Post()
  @HttpCode(200)
  async add(@Body() body: unknown) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    requestContextStorage.getStore()?.log.info('added');
    return { body, requestId: getCurrentRequestId() };
  }
}

@Module({ controllers: [ThingsController] })
class ThingsModule {}

const thingsModule: Type = ThingsModule;

/** Renderer of the test service, which renders errors in the form `{ error: { code, message } }`. */
const renderer: ErrorRenderer = {
  render: (error) => ({
    status: error.status,
    body: { error: { code: error.code, message: error.message, ...error.fields } },
  }),
  fromHttp: (status, message, context) =>
    new ApplicationError({
      code: `HTTP_${status}`,
      status,
      message,
      fields: status === 405 ? { allowed: context.allowedMethods } : {},
    }),
  unknown: (requestId) => new ApplicationError({ code: 'UNKNOWN', status: 500, message: `Failed (${requestId})` }),
};

/** Returns the options of a small test service whose log lines the test can read. */
export function serviceOptions(
  env: Record<string, string> = {},
  overrides: Partial<ServiceOptions> = {},
): ServiceOptions & { lines: LogLines } {
  const lines = new LogLines();
  return {
    name: 'things',
    rootModule: thingsModule,
    config: parseEnvironmentValues(platformEnvironmentSchema, env),
    logger: logTo(lines),
    errorRenderer: renderer,
    metrics: new Metrics(),
    health: new ProcessHealth(),
    trustClientRequestId: false,
    lines,
    ...overrides,
  };
}
