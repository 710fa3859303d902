import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { EventViewer } from './event-viewer.js';
import { defineEventType } from './define-event-type.js';
import { type ClientCapabilities, clientCapabilitiesSchema } from './event-queue-options.js';
import { toDisplayedTopicName } from './displayed-topic-name.js';

/**
 * Returns the event queue of a client with the given capabilities and fetched event types. Null means all event types.
 */
function queueWith(capabilities: Partial<ClientCapabilities>, types: readonly string[] | null = null): EventViewer {
  return {
    viewer: {
      id: 1,
      kind: 'user',
      realm: '1',
      realmId: 1,
      role: 400,
      deliveryEmail: 'a@example.com',
      fakeEmailDomain: 'x',
    },
    queueId: 'q',
    filter: { eventTypes: types === null ? null : [...types], narrow: [] },
    isAddressee: true,
    openSecret: (_userId, sealed) => sealed,
    exportToken: String,
    applyMarkdown: false,
    clientGravatar: false,
    slimPresence: false,
    capabilities: clientCapabilitiesSchema.parse(capabilities),
    wants: (type) => types === null || types.includes(type),
  };
}

const deletion = defineEventType({
  name: 'delete_message',
  audience: 'Everybody who could see them.',
  payload: z.strictObject({ ids: z.array(z.int()), topic: z.string() }),
  count: ({ ids }) => ids.length,
})
  .addVariant({
    type: 'delete_message',
    fields: { message_ids: z.array(z.int()), topic: z.string() },
    when: ({ capabilities }) => capabilities.bulk_message_deletion,
    render: ({ ids, topic }, { capabilities }) => ({
      message_ids: ids,
      topic: toDisplayedTopicName(topic, capabilities),
    }),
  })
  .addVariant({
    type: 'delete_message',
    fields: { message_id: z.int(), topic: z.string() },
    render: ({ ids, topic }, { capabilities }) =>
      ids.map((id) => ({ message_id: id, topic: toDisplayedTopicName(topic, capabilities) })),
  });

const topicPolicy = defineEventType({
  name: 'user_topic',
  audience: 'The user alone.',
  payload: z.strictObject({ topic: z.string(), muted: z.array(z.string()) }),
})
  .addVariant({
    type: 'user_topic',
    fields: { topic_name: z.string() },
    render: ({ topic }) => ({ topic_name: topic }),
  })
  .addVariant({
    type: 'muted_topics',
    fields: { muted_topics: z.array(z.string()) },
    render: ({ muted }) => ({ muted_topics: muted }),
  });

const archiving = defineEventType({
  name: 'stream/archive',
  audience: 'Everybody who knows of the channel.',
  payload: z.strictObject({ id: z.int() }),
})
  .addVariant({
    type: 'stream',
    op: 'update',
    fields: { stream_id: z.int(), value: z.literal(true) },
    when: ({ capabilities }) => capabilities.archived_channels,
    render: ({ id }) => ({ stream_id: id, value: true as const }),
  })
  .addVariant({
    type: 'stream',
    op: 'delete',
    fields: { stream_ids: z.array(z.int()) },
    render: ({ id }) => ({ stream_ids: [id] }),
  });

const linkifiers = defineEventType({
  name: 'realm_linkifiers',
  audience: 'Everybody in the realm.',
  payload: z.strictObject({ patterns: z.array(z.string()) }),
}).addVariant({
  type: 'realm_linkifiers',
  fields: { realm_linkifiers: z.array(z.string()) },
  when: ({ capabilities }) => capabilities.linkifier_url_template,
  render: ({ patterns }) => ({ realm_linkifiers: patterns }),
});

const eventsOf = (rendered: readonly { event: object }[]) => rendered.map(({ event }) => event);

describe('defineEventType', () => {
  it('emits one event to newer clients, and several events to clients that do not support the newer format', () => {
    const stored = { ids: [7, 9], topic: '' };
    const modern = deletion.renderStored(stored, queueWith({ bulk_message_deletion: true, empty_topic_name: true }));
    expect(eventsOf(modern)).toEqual([{ type: 'delete_message', message_ids: [7, 9], topic: '' }]);
    expect(eventsOf(deletion.renderStored(stored, queueWith({})))).toEqual([
      { type: 'delete_message', message_id: 7, topic: 'general chat' },
      { type: 'delete_message', message_id: 9, topic: 'general chat' },
    ]);
    expect(deletion.countClientEvents(stored)).toBe(2);
    expect(deletion.countClientEvents({ ids: [], topic: '' })).toBe(1);
  });

  it('emits the older event type to queues that fetch only the older type', () => {
    const stored = { topic: 'a', muted: ['a'] };
    const types = (wanted: string[] | null) =>
      topicPolicy.renderStored(stored, queueWith({}, wanted)).map(({ event }) => event['type']);
    expect(types(['muted_topics'])).toEqual(['muted_topics']);
    expect(types(['muted_topics', 'user_topic'])).toEqual(['user_topic']);
    expect(types(null)).toEqual(['user_topic']);
    expect(types(['message'])).toEqual([]);
  });

  it('emits the event with a different op to clients without a capability', () => {
    const ops = (capabilities: Partial<ClientCapabilities>) =>
      archiving.renderStored({ id: 3 }, queueWith(capabilities)).map(({ event }) => event['op']);
    expect(ops({ archived_channels: true })).toEqual(['update']);
    expect(ops({})).toEqual(['delete']);
  });

  it('skips clients without the required capability', () => {
    const stored = { patterns: ['#1'] };
    expect(linkifiers.renderStored(stored, queueWith({}))).toEqual([]);
    expect(linkifiers.renderStored(stored, queueWith({ linkifier_url_template: true }))).toHaveLength(1);
  });

  it('describes each variant by a schema without additional properties', () => {
    for (const type of [deletion, topicPolicy, archiving]) {
      for (const { event, schema } of type.renderStored(sampleOf(type.name), queueWith({}))) {
        expect(schema.parse(event)).toEqual(event);
        expect(schema.safeParse({ ...event, stray: 1 }).success).toBe(false);
      }
    }
  });

  it('rejects a payload of another version', () => {
    expect(() => archiving.renderStored({ channelId: 3 }, queueWith({}))).toThrow(z.ZodError);
  });
});

function sampleOf(name: string): object {
  if (name === 'delete_message') return { ids: [1], topic: 'a' };
  return name === 'user_topic' ? { topic: 'a', muted: [] } : { id: 1 };
}
