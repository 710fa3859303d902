import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createLogger, type Logger } from './logger.js';

function captureLog(write: (logger: Logger) => void): string {
  let text = '';
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  write(createLogger({ level: 'info', name: 'test', destination }));
  return text;
}

describe('createLogger', () => {
  it.each([
    'authorization',
    'Authorization',
    'cookie',
    'Set-Cookie',
    'password',
    'api_key',
    'apiKey',
    'API-KEY',
    'token',
    'secret',
  ])('redacts the value of %s at any depth, in lists and in child bindings', (name) => {
    const text = captureLog((logger) => {
      logger.info({ [name]: 'hunter2' }, 'top');
      logger.info({ req: { headers: { [name]: ['hunter2'] } } }, 'deep');
      logger.info({ rows: [{ [name]: { inner: 'hunter2' } }] }, 'list');
      logger.child({ [name]: 'hunter2' }).info('child');
    });
    expect(text).not.toContain('hunter2');
    expect(text.match(/\[hidden\]/g)).toHaveLength(4);
  });

  it('redacts members of errors except message and stack', () => {
    const error = Object.assign(new Error('refused'), { config: { headers: { authorization: 'hunter2' } } });
    const text = captureLog((logger) => {
      logger.error({ err: error }, 'failed');
      logger.error(error);
    });
    expect(text).not.toContain('hunter2');
    expect(JSON.parse(text.split('\n')[0] ?? '').err).toMatchObject({
      message: 'refused',
      config: { headers: { authorization: '[hidden]' } },
    });
  });

  it('leaves other values and the given object unchanged', () => {
    const given = { tokens: 3, at: new Date(0), nested: { password: 'x' } };
    const line = JSON.parse(captureLog((logger) => logger.info(given, 'x')));
    expect(line).toMatchObject({ level: 'info', name: 'test', tokens: 3, at: '1970-01-01T00:00:00.000Z' });
    expect(given.nested.password).toBe('x');
  });

  it('handles circular objects', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    expect(captureLog((logger) => logger.info(circle, 'x'))).toContain('[deep]');
  });
});
