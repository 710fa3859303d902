import { z } from 'zod';
import { defineParameters, type ParameterDefinition } from '../../infra/http/parameters.js';
import { type SingleLinePayloadValue, createTopicFromParts } from './format-payload-text.js';
import type { WebhookSignatureCheck } from './check-webhook-signatures.js';

/** A chat message for an event that another service reports by a webhook. */
export interface WebhookChatMessage {
  readonly topic: string;
  /** Markdown source of the message; empty for an event that creates no message. */
  readonly text: string;
}

/** An event of a webhook request. Its message is rendered only if the filters in the URL select the event. */
interface UnrenderedWebhookMessage {
  /** Name of the webhook event. The filters in the URL are compared with this name. */
  readonly event: string;
  /**
   * Renders the chat message for the webhook event.
   *
   * @throws UnexpectedPayloadError
   */
  render(context: WebhookMessageTextOptions): WebhookChatMessage;
}

/** Parsed body of an incoming webhook request, the header that names the event, and the options in the URL. */
export interface IncomingWebhookDelivery<Payload, Options> {
  readonly payload: Payload;
  /** Value of the request header that names the event; empty if the webhook format uses no such header. */
  readonly header: string;
  readonly options: Options;
}

/** Options in the webhook URL that affect the text of a message. */
export interface WebhookMessageTextOptions {
  /**
   * True if the webhook URL sets a topic. Messages then contain the title of the issue or other item, because the topic
   * does not contain the title.
   */
  readonly hasOwnTopic: boolean;
}

/** Definition of an event of a webhook format: the payload that the event requires, and the message that it creates. */
export interface WebhookEventDefinition<Payload> {
  readonly payload: z.ZodType<Payload>;
  /** Topic of the event's message with placeholders, such as `{repository} / {branch}`. */
  readonly topic: string;
  /** Returns the values of the placeholders in the topic, by name of the placeholder. */
  readonly values?: (payload: Payload) => Readonly<Record<string, SingleLinePayloadValue>>;
  readonly text: (payload: Payload, context: WebhookMessageTextOptions) => string;
}

/** Name and payload of an event in a webhook request. The payload has not been checked. */
export interface UncheckedWebhookEvent {
  readonly event: string;
  readonly payload: unknown;
}

/** Declaration of a webhook format, which is the format of the requests that one other service sends. */
export interface WebhookFormatDeclaration<S extends z.ZodType, O extends z.ZodRawShape> {
  /** Last segment of the webhook format's URL path, such as `github`. */
  readonly name: string;
  /** Name of the webhook format that users see in menus. */
  readonly displayName: string;
  /**
   * Name of the service that sends the webhooks. Used in error messages and in the client name of messages
   * (`Zulip{sender}Webhook`).
   */
  readonly sender: string;
  /** URL of the documentation of webhooks by the service that sends them. */
  readonly documentation: string;
  /** Name of the required request header that names the event; absent if the format has no such header. */
  readonly eventHeader?: string;
  /** Schema of the payload fields that all webhook requests of the service contain. */
  readonly payload: S;
  /** Schemas of the webhook format's additional URL parameters. The description of a parameter is its label. */
  readonly options?: O;
  readonly signature?: WebhookSignatureCheck;
  /** True if the service that sends the webhooks percent-encodes the URL twice. Parameters are then decoded twice. */
  readonly escapesUrlTwice?: boolean;
  /**
   * Returns the events of a webhook request with their payloads. Returns an empty list if the request creates no
   * message. The response reports an event that is not in `events` as unsupported.
   */
  readonly route: (
    delivery: IncomingWebhookDelivery<z.output<S>, z.output<z.ZodObject<O>>>,
  ) => readonly UncheckedWebhookEvent[];
  /** Definitions of the webhook format's events, by name of the event. */
  readonly events: Readonly<Record<string, WebhookEventDefinition<never>>>;
  /**
   * False if the webhook requests do not name their events, so that filters cannot select events. The default is true.
   */
  readonly isFiltered?: boolean;
}

/** A webhook format, which is the format of the requests that one other service sends. */
export interface WebhookFormat {
  readonly name: string;
  readonly displayName: string;
  readonly sender: string;
  readonly documentation: string;
  readonly eventHeader: string | undefined;
  readonly signature: WebhookSignatureCheck | undefined;
  readonly escapesUrlTwice: boolean;
  /** Names of the events that filters in the URL can select; null if the webhook format supports no filters. */
  readonly eventNames: readonly string[] | null;
  /** Topics of messages with placeholders, by name of the event. */
  readonly topics: ReadonlyMap<string, string>;
  readonly parameters: ParameterDefinition<z.ZodObject>;
  /** Keys and labels of the additional URL parameters of this webhook format. */
  readonly options: readonly WebhookFormatOption[];
  /**
   * Returns the events of a webhook request without rendering their messages.
   *
   * @throws UnsupportedEventError, UnexpectedPayloadError
   */
  read(delivery: IncomingWebhookDelivery<unknown, unknown>): UnrenderedWebhookMessage[];
}

/** An additional URL parameter of a webhook format, with its key and label. */
interface WebhookFormatOption {
  readonly key: string;
  readonly label: string;
  readonly isFlag: boolean;
}

/** Thrown for an event that the webhook format does not support. */
export class UnsupportedEventError extends Error {
  constructor(readonly event: string) {
    super(`Unsupported event ${event}`);
  }
}

/** Thrown for a webhook payload without a field that its sender always includes. */
export class UnexpectedPayloadError extends Error {}

/** Maximum number of filter patterns in one URL parameter, and maximum length of a pattern in characters. */
const [maxPatterns, maxPatternLength] = [100, 200];
const eventFilterPatternsSchema = z.array(z.string().max(maxPatternLength)).max(maxPatterns).optional();

/** URL parameters that all webhook formats support (https://zulip.com/api/incoming-webhooks-overview). */
const commonWebhookUrlParameters = {
  api_key: z.string().optional().meta({ description: 'The API key of the incoming webhook bot' }),
  stream: z.string().optional().meta({
    description: "Name or id of the channel. Without it, the message is a direct message to the bot's owner",
  }),
  topic: z.string().optional().meta({ description: 'Topic of all messages, instead of that of the format' }),
  only_events: eventFilterPatternsSchema.meta({
    description: 'Events to send messages for; `*` and `?` are wildcards',
  }),
  exclude_events: eventFilterPatternsSchema.meta({ description: 'Events without messages; `*` and `?` are wildcards' }),
};

/**
 * Schema of a JSON object with any keys. Validation does not copy the object, because a webhook payload may contain
 * very many keys.
 */
export const anyObjectSchema = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/**
 * Defines an event of a webhook format. TypeScript derives the types of `values` and `text` from the schema of the
 * payload.
 */
export function defineWebhookEvent<Payload>(event: WebhookEventDefinition<Payload>): WebhookEventDefinition<never> {
  return event as unknown as WebhookEventDefinition<never>;
}

/** Defines a webhook format, which is the format of the requests that one other service sends. */
export function defineWebhookFormat<S extends z.ZodType, O extends z.ZodRawShape = Record<never, never>>(
  parts: WebhookFormatDeclaration<S, O>,
): WebhookFormat {
  const { options = {} as O, isFiltered = true } = parts;
  const names = Object.keys(parts.events);
  return {
    name: parts.name,
    displayName: parts.displayName,
    sender: parts.sender,
    documentation: parts.documentation,
    eventHeader: parts.eventHeader,
    signature: parts.signature,
    escapesUrlTwice: parts.escapesUrlTwice ?? false,
    eventNames: isFiltered ? names : null,
    topics: new Map(names.map((name) => [name, parts.events[name]?.topic ?? ''])),
    parameters: defineParameters(z.object({ ...commonWebhookUrlParameters, ...options })),
    options: Object.entries(options).map(([key, schema]) =>
      toWebhookFormatOption(key, z.toJSONSchema(schema as z.ZodType)),
    ),
    read({ payload: body, ...rest }) {
      const parsed = parts.payload.safeParse(body);
      if (!parsed.success) throw new UnexpectedPayloadError();
      const routed = parts.route({ ...rest, payload: parsed.data } as Parameters<typeof parts.route>[0]);
      return routed.map(({ event, payload }) => createUnrenderedWebhookMessage(parts.events, event, payload));
    },
  };
}

function toWebhookFormatOption(
  key: string,
  { description = key, type }: z.core.JSONSchema.BaseSchema,
): WebhookFormatOption {
  return { key, label: description, isFlag: type === 'boolean' };
}

/**
 * Returns the message to be rendered for an event of a request.
 *
 * @throws UnsupportedEventError
 */
function createUnrenderedWebhookMessage(
  events: WebhookFormatDeclaration<z.ZodType, z.ZodRawShape>['events'],
  name: string,
  payload: unknown,
): UnrenderedWebhookMessage {
  if (!Object.hasOwn(events, name)) throw new UnsupportedEventError(name);
  const event = events[name] as unknown as WebhookEventDefinition<unknown>;
  return {
    event: name,
    render(context) {
      const parsed = event.payload.safeParse(payload);
      if (!parsed.success) throw new UnexpectedPayloadError();
      return {
        topic: createTopicFromParts(event.topic, event.values?.(parsed.data) ?? {}),
        text: event.text(parsed.data, context),
      };
    },
  };
}
