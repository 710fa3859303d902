import type { QueueTx } from '@switchboard/queue';
import type { EventForEndpoint } from '@switchboard/webhooks';
import { z } from 'zod';
import { eventWebhookMetadata, type EventWebhookMetadata, storedEventSchema } from '../../core/event-webhooks/index.js';
import { matchesConversation } from '../../core/messages/index.js';
import type { EventConversation } from '../../events/event-sink-interface.js';
import type { AnyEventType } from '../../events/define-event-type.js';
import type { EventViewer } from '../../events/event-viewer.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { clientCapabilities } from '../../events/event-queue-options.js';
import { testEventType } from './subscribable-types.js';
import { type ChannelAccess, OwnerChannelAccesses, findWebhookOwners } from './webhook-owner-access.repository.js';
import { isDeliveryVisibleToOwner } from './check-webhook-visibility.js';

/** Event types, and the choice of validation, with which the bodies of webhook requests are rendered. */
export interface WebhookBodyRendering {
  readonly eventTypes: ReadonlyMap<string, AnyEventType>;
  /** True to validate each rendered event against its schema. Used in development and tests. */
  readonly checks: boolean;
}

const emittedBody = z.object({ type: z.string(), timestamp: z.string(), data: storedEventSchema });

type EmittedBody = z.infer<typeof emittedBody>;

/** An emitted event, with the metadata of the webhook that may receive the event. */
interface EventForWebhook {
  readonly emitted: EmittedBody;
  readonly metadata: EventWebhookMetadata;
}

/**
 * Returns a function that renders events for the owners of webhooks. An owner receives an event in the form of a client
 * with all capabilities, if the owner may see the event and the narrow matches. The function takes two statements for any
 * number of events.
 *
 * @throws Error of the function for an event that another version of the service wrote
 */
export function createWebhookBodies(rendering: WebhookBodyRendering) {
  return async (events: readonly EventForEndpoint[], tx: QueueTx): Promise<string[][]> => {
    const parsed = new Map<string, EmittedBody>();
    const candidates = events.map((event): EventForWebhook | null => {
      if (event.type === testEventType) return null;
      const emitted = parsed.get(event.body) ?? emittedBody.parse(JSON.parse(event.body));
      parsed.set(event.body, emitted);
      return { emitted, metadata: eventWebhookMetadata.parse(event.metadata) };
    });
    const subscribed = candidates.filter((candidate) => candidate !== null);
    const owners = await findWebhookOwners(tx, [...new Set(subscribed.map(({ metadata }) => metadata.userId))]);
    const accesses = await OwnerChannelAccesses.read(tx, subscribed.flatMap(listChannelsToCheck));
    return candidates.map((candidate, index) => {
      if (candidate === null) return [events[index]?.body ?? ''];
      const owner = owners.get(candidate.metadata.userId);
      return owner === undefined ? [] : renderWebhookBodies(rendering, candidate, owner, accesses);
    });
  };
}

function listChannelsToCheck({ emitted: { data }, metadata: { userId } }: EventForWebhook) {
  const { conversation } = data;
  if (conversation === undefined || !('channelId' in conversation)) return [];
  const { channelId, newChannelId = channelId } = conversation;
  return [...new Set([channelId, newChannelId])].map((id) => ({ userId, channelId: id }));
}

function renderWebhookBodies(
  { eventTypes, checks }: WebhookBodyRendering,
  { emitted: { type, timestamp, data }, metadata }: EventForWebhook,
  owner: ChatActor,
  accesses: OwnerChannelAccesses,
): string[] {
  const eventType = eventTypes.get(data.name);
  if (eventType === undefined) throw new Error(`Event type ${data.name} is unknown to this version of the service`);
  const access = (channelId: number) => accesses.get(owner.id, channelId);
  if (!isDeliveryVisibleToOwner(data, owner.id, access)) return [];
  const { conversation } = data;
  if (
    conversation !== undefined &&
    !matchesConversation(metadata.narrow, readNamedConversation(conversation, access))
  ) {
    return [];
  }
  const rendered = eventType.renderStored(data.payload, createEventViewer(owner, type, data, metadata));
  if (checks) for (const { event, schema } of rendered) schema.parse(event);
  return rendered.map(({ event }) => JSON.stringify({ type, timestamp, data: event }));
}

function readNamedConversation(conversation: EventConversation, access: (channelId: number) => ChannelAccess) {
  if (!('channelId' in conversation)) return { channel: null, topic: '' };
  return { channel: { name: access(conversation.channelId).name }, topic: conversation.topic };
}

const allCapabilities = Object.fromEntries(
  Object.keys(clientCapabilities.shape).map((name) => [name, true]),
) as EventViewer['capabilities'];

function rejectSecretEvent(): never {
  throw new Error('Events with secrets cannot be sent to webhooks');
}

function createEventViewer(
  viewer: ChatActor,
  type: string,
  { addressees }: EmittedBody['data'],
  { narrow, applyMarkdown }: EventWebhookMetadata,
): EventViewer {
  return {
    viewer,
    queueId: '',
    filter: { eventTypes: [type], narrow },
    isAddressee: addressees.includes(viewer.id),
    applyMarkdown,
    clientGravatar: false,
    slimPresence: true,
    capabilities: allCapabilities,
    openSecret: rejectSecretEvent,
    exportToken: rejectSecretEvent,
    wants: (wanted) => wanted === type,
  };
}
