import { z } from 'zod';
import { defineParameters, type ParameterDefinition } from '../../infra/http/parameters.js';
import { type PlainValue, createTopicFromParts } from './format-payload-text.js';
import type { SignatureCheck } from './check-webhook-signatures.js';

/** A message to send for an event of another service. */
export interface WebhookMessage {
  readonly topic: string;
  /** Markdown source of the message; empty for an event that causes no message. */
  readonly text: string;
}

/** An event of a webhook request, whose message is rendered only if the filters of the URL select the event. */
interface PendingMessage {
  /** Name of the event, which is compared with the filters of the URL. */
  readonly event: string;
  /**
   * Renders the message of the event.
   *
   * @throws UnexpectedPayloadError
   */
  render(context: MessageTextOptions): WebhookMessage;
}

/** Parsed body of an incoming webhook, with the header that names its event and the options of the URL. */
export interface WebhookDelivery<Payload, Options> {
  readonly payload: Payload;
  /** Value of the format's `eventHeader`; empty if the format has none. */
  readonly header: string;
  readonly options: Options;
}

/** Options of the URL that affect the text of a message. */
export interface MessageTextOptions {
  /**
   * True if the URL sets a topic. Messages then contain the title of the issue or other item, because the topic does
   * not show it.
   */
  readonly hasOwnTopic: boolean;
}

/** An event of a format: the payload that it requires, and its message. */
export interface WebhookEvent<Payload> {
  readonly payload: z.ZodType<Payload>;
  /** Topic with placeholders, such as `{repository} / {branch}`. */
  readonly topic: string;
  /** Returns the values of the placeholders in the topic. */
  readonly values?: (payload: Payload) => Readonly<Record<string, PlainValue>>;
  readonly text: (payload: Payload, context: MessageTextOptions) => string;
}

/** An event in a request, before its payload is checked. */
export interface RoutedWebhookEvent {
  readonly event: string;
  readonly payload: unknown;
}

/** Declaration of a format of incoming webhooks. */
export interface WebhookFormatDeclaration<S extends z.ZodType, O extends z.ZodRawShape> {
  /** Last segment of the format's URL, such as `github`. */
  readonly name: string;
  /** Name of the format as shown to users in menus. */
  readonly displayName: string;
  /** Name of the sending service in error messages, and in the client name of messages (`Zulip{sender}Webhook`). */
  readonly sender: string;
  /** URL of the sender's documentation of its webhooks. */
  readonly documentation: string;
  /** Required request header with the name of the event. */
  readonly eventHeader?: string;
  /** Schema of the fields that all payloads of the sender have. */
  readonly payload: S;
  /** Schemas of the format's additional URL parameters. The description of each is its label. */
  readonly options?: O;
  readonly signature?: SignatureCheck;
  /** True if the sender percent-encodes the URL twice, so that parameters are decoded twice. */
  readonly escapesUrlTwice?: boolean;
  /**
   * Returns the events of a request with their payloads; an empty list if the request causes no message. A name that is
   * not among `events` is reported to the sender as unsupported.
   */
  readonly route: (delivery: WebhookDelivery<z.output<S>, z.output<z.ZodObject<O>>>) => readonly RoutedWebhookEvent[];
  /** Events by name. */
  readonly events: Readonly<Record<string, WebhookEvent<never>>>;
  /** False if the sender does not name its events, so that filters cannot select them. */
  readonly isFiltered?: boolean;
}

/** A format of incoming webhooks. */
export interface WebhookFormat {
  readonly name: string;
  readonly displayName: string;
  readonly sender: string;
  readonly documentation: string;
  readonly eventHeader: string | undefined;
  readonly signature: SignatureCheck | undefined;
  readonly escapesUrlTwice: boolean;
  /** Names of the events that filters can select; null if the format supports no filters. */
  readonly eventNames: readonly string[] | null;
  /** Topics with placeholders, by event name. */
  readonly topics: ReadonlyMap<string, string>;
  readonly parameters: ParameterDefinition<z.ZodObject>;
  /** Keys and labels of the additional URL parameters of this format. */
  readonly options: readonly WebhookFormatOption[];
  /**
   * Returns the events of a request, without rendering their messages.
   *
   * @throws UnsupportedEventError, UnexpectedPayloadError
   */
  read(delivery: WebhookDelivery<unknown, unknown>): PendingMessage[];
}

/** A URL parameter that only some formats have. */
interface WebhookFormatOption {
  readonly key: string;
  readonly label: string;
  readonly isFlag: boolean;
}

/** Thrown for an event that the format does not know. */
export class UnsupportedEventError extends Error {
  constructor(readonly event: string) {
    super(`Unsupported event ${event}`);
  }
}

/** Thrown for a payload without a field that its sender always sends. */
export class UnexpectedPayloadError extends Error {}

/** Maximum number of filter patterns in one parameter, and maximum length of a pattern. */
const [maxPatterns, maxPatternLength] = [100, 200];
const filterPatterns = z.array(z.string().max(maxPatternLength)).max(maxPatterns).optional();

/** URL parameters of all formats (https://zulip.com/api/incoming-webhooks-overview). */
const commonParameters = {
  api_key: z.string().optional().meta({ description: 'The API key of the incoming webhook bot' }),
  stream: z.string().optional().meta({
    description: "Name or id of the channel. Without it, the message is a direct message to the bot's owner",
  }),
  topic: z.string().optional().meta({ description: 'Topic of all messages, instead of that of the format' }),
  only_events: filterPatterns.meta({ description: 'Events to send messages for; `*` and `?` are wildcards' }),
  exclude_events: filterPatterns.meta({ description: 'Events without messages; `*` and `?` are wildcards' }),
};

/**
 * Schema of a JSON object with any keys. Validation does not copy the object, because a payload may have very many
 * keys.
 */
export const anyObjectSchema = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/** Defines an event of a format. The types of `values` and `text` follow from the schema. */
export function defineWebhookEvent<Payload>(event: WebhookEvent<Payload>): WebhookEvent<never> {
  return event as unknown as WebhookEvent<never>;
}

/** Defines a format of incoming webhooks. */
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
    parameters: defineParameters(z.object({ ...commonParameters, ...options })),
    options: Object.entries(options).map(([key, schema]) => getWebhookOption(key, z.toJSONSchema(schema as z.ZodType))),
    read({ payload: body, ...rest }) {
      const parsed = parts.payload.safeParse(body);
      if (!parsed.success) throw new UnexpectedPayloadError();
      const routed = parts.route({ ...rest, payload: parsed.data } as Parameters<typeof parts.route>[0]);
      return routed.map(({ event, payload }) => createPendingMessage(parts.events, event, payload));
    },
  };
}

function getWebhookOption(key: string, { description = key, type }: z.core.JSONSchema.BaseSchema): WebhookFormatOption {
  return { key, label: description, isFlag: type === 'boolean' };
}

/**
 * Returns the message to be rendered for an event of a request.
 *
 * @throws UnsupportedEventError
 */
function createPendingMessage(
  events: WebhookFormatDeclaration<z.ZodType, z.ZodRawShape>['events'],
  name: string,
  payload: unknown,
): PendingMessage {
  if (!Object.hasOwn(events, name)) throw new UnsupportedEventError(name);
  const event = events[name] as unknown as WebhookEvent<unknown>;
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
