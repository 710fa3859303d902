import type { QueueTx } from '@switchboard/queue';
import type { WebhookEventForEndpoint } from '@switchboard/webhooks';
import { z } from 'zod';
import {
  eventWebhookMetadataSchema,
  type EventWebhookMetadata,
  eventStoredForWebhooksSchema,
} from '../../core/event-webhooks/index.js';
import { areMessagesMatchingConversationTerms } from '../../core/messages/index.js';
import type { ConversationOfEvent } from '../../events/event-sink-interface.js';
import type { EventTypeOfUnknownPayload } from '../../events/define-event-type.js';
import type { EventViewer } from '../../events/event-viewer.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { clientCapabilitiesSchema } from '../../events/event-queue-options.js';
import { testEventType } from './subscribable-types.js';
import {
  type WebhookOwnerChannelAccess,
  WebhookOwnerChannelAccesses,
  findWebhookOwners,
} from './webhook-owner-access.repository.js';
import { canWebhookOwnerSeeEvent } from './check-webhook-visibility.js';

/** Event types, and the choice of validation, with which the bodies of webhook requests are rendered. */
export interface WebhookBodyRenderingOptions {
  readonly eventTypes: ReadonlyMap<string, EventTypeOfUnknownPayload>;
  /** True to validate each rendered event against its schema. Used in development and tests. */
  readonly checks: boolean;
}

const emittedChatEventSchema = z.object({
  type: z.string(),
  timestamp: z.string(),
  data: eventStoredForWebhooksSchema,
});

type EmittedChatEvent = z.infer<typeof emittedChatEventSchema>;

/** An emitted event, with the metadata of the webhook that may receive the event. */
interface EventWithWebhookMetadata {
  readonly emitted: EmittedChatEvent;
  readonly metadata: EventWebhookMetadata;
}

/**
 * Returns a function that renders events for the owners of webhooks. An owner receives an event if the owner may see
 * the event and the narrow matches. The form of the event is that for clients with all capabilities. The function takes
 * two statements for any number of events.
 *
 * @throws Error of the function for an event that another version of the service wrote
 */
export function createWebhookBodyRenderer(rendering: WebhookBodyRenderingOptions) {
  return async (events: readonly WebhookEventForEndpoint[], tx: QueueTx): Promise<string[][]> => {
    const parsed = new Map<string, EmittedChatEvent>();
    const candidates = events.map((event): EventWithWebhookMetadata | null => {
      if (event.type === testEventType) return null;
      const emitted = parsed.get(event.body) ?? emittedChatEventSchema.parse(JSON.parse(event.body));
      parsed.set(event.body, emitted);
      return { emitted, metadata: eventWebhookMetadataSchema.parse(event.metadata) };
    });
    const subscribed = candidates.filter((candidate) => candidate !== null);
    const owners = await findWebhookOwners(tx, [...new Set(subscribed.map(({ metadata }) => metadata.userId))]);
    const accesses = await WebhookOwnerChannelAccesses.readForUsersAndChannels(
      tx,
      subscribed.flatMap(listChannelsToCheck),
    );
    return candidates.map((candidate, index) => {
      if (candidate === null) return [events[index]?.body ?? ''];
      const owner = owners.get(candidate.metadata.userId);
      return owner === undefined ? [] : renderWebhookBodies(rendering, candidate, owner, accesses);
    });
  };
}

function listChannelsToCheck({ emitted: { data }, metadata: { userId } }: EventWithWebhookMetadata) {
  const { conversation } = data;
  if (conversation === undefined || !('channelId' in conversation)) return [];
  const { channelId, newChannelId = channelId } = conversation;
  return [...new Set([channelId, newChannelId])].map((id) => ({ userId, channelId: id }));
}

function renderWebhookBodies(
  { eventTypes, checks }: WebhookBodyRenderingOptions,
  { emitted: { type, timestamp, data }, metadata }: EventWithWebhookMetadata,
  owner: ChatActor,
  accesses: WebhookOwnerChannelAccesses,
): string[] {
  const eventType = eventTypes.get(data.name);
  if (eventType === undefined) throw new Error(`Event type ${data.name} is unknown to this version of the service`);
  const access = (channelId: number) => accesses.getChannelAccess(owner.id, channelId);
  if (!canWebhookOwnerSeeEvent(data, owner.id, access)) return [];
  const { conversation } = data;
  if (
    conversation !== undefined &&
    !areMessagesMatchingConversationTerms(metadata.narrow, getNamedConversation(conversation, access))
  ) {
    return [];
  }
  const rendered = eventType.renderStored(data.payload, createEventViewer(owner, type, data, metadata));
  if (checks) for (const { event, schema } of rendered) schema.parse(event);
  return rendered.map(({ event }) => JSON.stringify({ type, timestamp, data: event }));
}

function getNamedConversation(
  conversation: ConversationOfEvent,
  access: (channelId: number) => WebhookOwnerChannelAccess,
) {
  if (!('channelId' in conversation)) return { channel: null, topic: '' };
  return { channel: { name: access(conversation.channelId).name }, topic: conversation.topic };
}

const allEnabledClientCapabilities = Object.fromEntries(
  Object.keys(clientCapabilitiesSchema.shape).map((name) => [name, true]),
) as EventViewer['capabilities'];

function throwSecretEventError(): never {
  throw new Error('Events with secrets cannot be sent to webhooks');
}

function createEventViewer(
  viewer: ChatActor,
  type: string,
  { addressees }: EmittedChatEvent['data'],
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
    capabilities: allEnabledClientCapabilities,
    openSecret: throwSecretEventError,
    exportToken: throwSecretEventError,
    wants: (wanted) => wanted === type,
  };
}
