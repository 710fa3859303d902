import { EventEmitter } from 'node:events';
import type { EventLog } from '@switchboard/queue';
import { FakeClock } from '@switchboard/testing';
import type { FastifyReply } from 'fastify';
import { describe, expect, it } from 'vitest';
import type { ChatConfig } from '../../config.js';
import { CredentialWatch } from '../../core/access/credential-watch.js';
import type { CredentialOwner } from '../../core/access/credential-owner.js';
import type { OpenCredentials } from './open-credentials.js';
import type { QueueRenderers } from './queue-renderers.js';
import { StreamEvents } from './stream-events.query.js';

const owner = { id: 5, realm: '1', realmId: 1 } as CredentialOwner;

describe('StreamEvents', () => {
  it('does not watch the credentials of a client that has already disconnected', async () => {
    const invalidated: ((tag: string) => void)[] = [];
    const clock = new FakeClock();
    const watch = new CredentialWatch(
      { listen: (listener) => void invalidated.push((tag) => listener.invalidated(tag)) },
      clock,
    );
    const ended: string[] = [];
    const raw = Object.assign(new EventEmitter(), { closed: true, destroyed: true, writeHead() {}, write() {} });
    const request = { headers: {}, method: 'GET', originalUrl: '/api/v1/events/stream' };
    const reply = { raw, request, hijack: () => void ended.push('ended'), getHeaders: () => ({}) };
    const streams = new StreamEvents(
      { stream() {} } as Partial<EventLog> as EventLog,
      clock,
      { of: () => () => [] } as Partial<QueueRenderers> as QueueRenderers,
      { require: async () => {} } as Partial<OpenCredentials> as OpenCredentials,
      watch,
      { EVENT_STREAM_MS: 60_000, EVENT_STREAM_WRITE_MS: 1_000 } as ChatConfig,
    );
    void streams.run(owner, { queue_id: 'q', last_event_id: -1 }, reply as unknown as FastifyReply);
    for (const invalidate of invalidated) invalidate('user:5');
    expect(ended).toEqual([]);
  });
});
