import { describe, expect, it } from 'vitest';
import { ApplicationError, defineErrorCatalog, renderErrorCatalogAsMarkdown } from './index.js';

const errors = defineErrorCatalog({
  CHANNEL_NOT_FOUND: { status: 400, message: "Channel '{name}' does not exist", description: 'No such channel.' },
  RATE_LIMITED: { status: 429, message: 'Use `{header}` to wait', description: 'Too many requests.' },
});

describe('defineErrorCatalog', () => {
  it('creates an error with status, filled message and additional fields', () => {
    const cause = new Error('internal');
    const error = errors.create('CHANNEL_NOT_FOUND', {
      params: { name: 'ops $& {name}' },
      fields: { stream: 'ops' },
      headers: { 'retry-after': '1' },
      internal: 'realm 4',
      cause,
    });
    expect(error).toBeInstanceOf(ApplicationError);
    expect(error).toMatchObject({
      code: 'CHANNEL_NOT_FOUND',
      status: 400,
      message: "Channel 'ops $& {name}' does not exist",
      fields: { stream: 'ops' },
      headers: { 'retry-after': '1' },
      internal: 'realm 4',
      cause,
    });
  });

  it('leaves a placeholder in the message when its parameter is missing', () => {
    expect(errors.create('CHANNEL_NOT_FOUND').message).toBe("Channel '{name}' does not exist");
    expect(errors.create('CHANNEL_NOT_FOUND', { params: { toString: 1 } }).message).toContain('{name}');
  });

  it('allows an error to override its message', () => {
    expect(errors.create('CHANNEL_NOT_FOUND', { message: 'Invalid channel ID' }).message).toBe('Invalid channel ID');
  });

  it('rejects a status below 400 in a definition', () => {
    expect(() => defineErrorCatalog({ FINE: { status: 200, message: '', description: '' } })).toThrow(RangeError);
  });

  it('prints a page with one heading for each error code', () => {
    expect(renderErrorCatalogAsMarkdown(errors)).toBe(
      [
        '## CHANNEL_NOT_FOUND',
        '- Status: 400',
        "- Message: `Channel '{name}' does not exist`",
        '',
        'No such channel.',
        '',
        '## RATE_LIMITED',
        '- Status: 429',
        '- Message: `` Use `{header}` to wait ``',
        '',
        'Too many requests.',
        '',
      ].join('\n'),
    );
  });
});
