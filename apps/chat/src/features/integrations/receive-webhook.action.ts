import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import { ApplicationError } from '@switchboard/errors';
import { type Clock, requestContextStorage } from '@switchboard/platform';
import { ApiKeyStore } from '../../core/access/api-keys.js';
import { SendMessage } from '../../core/messages/index.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { CLOCK_TOKEN, DATABASE_TOKEN } from '../../tokens.js';
import {
  type WebhookFormat,
  UnexpectedPayloadError,
  UnsupportedEventError,
  type WebhookChatMessage,
} from './define-webhook-format.js';
import { createWebhookEventFilter, type EventFilters } from './webhook-event-filters.js';
import { NotifyWebhookOwner } from './notify-webhook-owner.js';
import {
  formatInlineCode,
  neutralizeMessageSideEffects,
  joinParagraphs,
  toPlainTextLine,
} from './format-payload-text.js';
import { getWebhookBot, type WebhookBot } from './webhook-bots.repository.js';
import { parseWebhookPayload, type IncomingWebhookBody } from './parse-webhook-body.js';

/** URL parameters of an incoming webhook request, such as the channel and topic of the messages. */
interface IncomingWebhookParameters extends EventFilters {
  readonly stream?: string | undefined;
  readonly topic?: string | undefined;
}

/** A request to the URL of a webhook format: its parameters, body and headers. */
export interface IncomingWebhookRequest {
  readonly parameters: IncomingWebhookParameters;
  readonly body: IncomingWebhookBody;
  /** Returns the value of a request header; empty string if the request does not contain the header. */
  header(name: string): string;
  readonly origin: string;
}

/** Response to a webhook request with an event that the format does not support (docs/contract/chat.md 1.5). */
export interface UnsupportedEventResponse {
  readonly msg: string;
  readonly code: 'UNSUPPORTED_WEBHOOK_EVENT_TYPE';
  readonly webhook_name: string;
  readonly event_type: string;
}

/** Maximum number of messages for one webhook request. The last message states the number of omitted messages. */
const maxMessagesPerRequest = 50;

/**
 * Maximum length of the last message of a webhook request if further messages are omitted. The limit leaves enough
 * characters for the number of omitted messages.
 */
const maxLastMessageLength = 5_000;

/** Maximum length of an event name in a response, in UTF-16 code units. */
const maxEventNameLength = 100;

/** Posts messages for a webhook request that another service sends to an integration (docs/contract/chat.md 2.I). */
@Injectable()
export class ReceiveWebhook {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(CLOCK_TOKEN) private readonly clock: Clock,
    private readonly apiKeys: ApiKeyStore,
    private readonly sendMessage: SendMessage,
    private readonly owner: NotifyWebhookOwner,
  ) {}

  /**
   * Posts the messages that a webhook request creates. Returns the event of the request if the format does not support
   * the event.
   *
   * @throws ApplicationError INVALID_JSON, ANOMALOUS_WEBHOOK_PAYLOAD, MISSING_HTTP_EVENT_HEADER; BAD_REQUEST, also for
   * an invalid signature; and the errors of sending the first message, except for a channel that does not exist
   */
  async run(
    actor: ChatActor,
    format: WebhookFormat,
    request: IncomingWebhookRequest,
  ): Promise<UnsupportedEventResponse | undefined> {
    const bot = await getWebhookBot(this.database, actor.id);
    this.#checkSignature(actor, bot, format, request);
    try {
      await this.#send(actor, bot, format, request, createWebhookMessages(format, request));
      return undefined;
    } catch (error) {
      if (error instanceof UnsupportedEventError) return createUnsupportedEventResponse(format, error.event);
      if (error instanceof UnexpectedPayloadError) throw createUnexpectedPayloadError(format);
      if (!(error instanceof ApplicationError)) throw error;
      const reason = getOwnerNotificationReason(error.code, format, request.parameters);
      if (reason !== null) await this.owner.sendDirectMessageToOwner(actor, bot, reason);
      if (error.code !== 'STREAM_DOES_NOT_EXIST') throw error;
      return undefined;
    }
  }

  /**
   * Checks the signature of a request.
   *
   * @throws ApplicationError BAD_REQUEST if the bot has a secret, the format has signatures, and the signature of the
   * request is missing or invalid
   */
  #checkSignature(
    actor: ChatActor,
    bot: WebhookBot,
    { signature }: WebhookFormat,
    { body, header }: IncomingWebhookRequest,
  ): void {
    if (bot.sealedSecret === null || signature === undefined) return;
    const secret = this.apiKeys.decryptStoredApiKey(actor.id, bot.sealedSecret);
    const { bytes } = body;
    if (bytes !== null && signature.isValid({ bytes, header, nowMs: this.clock.now() }, secret)) return;
    throw createBadRequestError(`The signature in the header ${signature.header} is missing or invalid`);
  }

  async #send(
    actor: ChatActor,
    bot: WebhookBot,
    format: WebhookFormat,
    { parameters, origin }: IncomingWebhookRequest,
    messages: readonly WebhookChatMessage[],
  ): Promise<void> {
    const { stream } = parameters;
    const recipient =
      stream === undefined
        ? { type: 'direct' as const, to: JSON.stringify([bot.ownerId ?? actor.id]) }
        : { type: 'channel' as const, to: JSON.stringify(decodeDoubleEncoded(stream, format)) };
    const client = { client: `Zulip${format.sender}Webhook`, origin };
    for (const [index, message] of messages.entries()) {
      const topic = parameters.topic === undefined ? message.topic : decodeDoubleEncoded(parameters.topic, format);
      const shown = {
        topic: toPlainTextLine(topic) || format.displayName,
        content: neutralizeMessageSideEffects(message.text),
      };
      try {
        await this.sendMessage.run(actor, { ...recipient, ...shown }, client);
      } catch (error) {
        if (index === 0) throw error;
        await this.#reportRest(actor, bot, messages.length - index, error);
        return;
      }
    }
  }

  /**
   * Writes the number of messages that could not be sent to the log, and informs the bot's owner. The response is
   * nevertheless a success, because otherwise the sender would repeat the request and thereby the messages that were
   * already sent.
   */
  async #reportRest(actor: ChatActor, bot: WebhookBot, count: number, err: unknown): Promise<void> {
    const { log } = requestContextStorage.getStore() ?? {};
    log?.warn({ err, userId: actor.id, count }, 'messages of a webhook request were not sent');
    const cause =
      err instanceof ApplicationError ? `: ${neutralizeMessageSideEffects(formatInlineCode(err.message))}` : '.';
    try {
      await this.owner.sendDirectMessageToOwner(actor, bot, `${count} of its messages were not sent${cause}`);
    } catch (noticeError) {
      log?.warn({ err: noticeError, userId: actor.id }, 'the owner of a bot was not notified');
    }
  }
}

/**
 * Returns the messages that a webhook request creates.
 *
 * @throws ApplicationError INVALID_JSON, MISSING_HTTP_EVENT_HEADER; UnsupportedEventError, UnexpectedPayloadError
 */
function createWebhookMessages(
  format: WebhookFormat,
  { parameters, body, header }: IncomingWebhookRequest,
): WebhookChatMessage[] {
  const { eventHeader } = format;
  const named = eventHeader === undefined ? '' : header(eventHeader);
  if (eventHeader !== undefined && named === '') {
    throw chatErrors.create('MISSING_HTTP_EVENT_HEADER', {
      params: { header: eventHeader },
      fields: { webhook_name: format.sender },
    });
  }
  const delivery = { payload: parseWebhookPayload(body.json), header: named, options: parameters };
  const pending = format.read(delivery);
  const isAdmitted = createWebhookEventFilter(format.eventNames === null ? {} : parameters);
  const admitted = pending.filter(({ event }) => isAdmitted(event));
  const context = { hasOwnTopic: parameters.topic !== undefined };
  const messages = admitted.slice(0, maxMessagesPerRequest).map((one) => one.render(context));
  const omitted = admitted.length - messages.length;
  const note = omitted === 0 ? '' : `(${omitted} further messages of this request were not sent.)`;
  return messages
    .map((one, index) => (note !== '' && index === maxMessagesPerRequest - 1 ? addOmittedCount(one, note) : one))
    .filter(({ text }) => neutralizeMessageSideEffects(text) !== '');
}

function addOmittedCount(message: WebhookChatMessage, note: string): WebhookChatMessage {
  return { ...message, text: joinParagraphs(message.text.slice(0, maxLastMessageLength), note) };
}

/** Returns a URL parameter of a webhook request. Decodes the parameter once more for senders that encode URLs twice. */
function decodeDoubleEncoded(text: string, { escapesUrlTwice }: WebhookFormat): string {
  if (!escapesUrlTwice) return text;
  try {
    return decodeURIComponent(text).replaceAll('\0', '');
  } catch {
    return text;
  }
}

function createUnsupportedEventResponse({ sender }: WebhookFormat, event: string): UnsupportedEventResponse {
  const name = toPlainTextLine(event).slice(0, maxEventNameLength).toWellFormed();
  return {
    msg: `The ${sender} integration has no message for the event '${name}'`,
    code: 'UNSUPPORTED_WEBHOOK_EVENT_TYPE',
    webhook_name: sender,
    event_type: name,
  };
}

function createUnexpectedPayloadError({ sender }: WebhookFormat): ApplicationError {
  const fields = { webhook_name: sender };
  return chatErrors.create('ANOMALOUS_WEBHOOK_PAYLOAD', { params: fields, fields });
}

/**
 * Returns the reason for a failed webhook request that the bot's owner is informed about; null if the owner is not
 * informed about the error.
 */
function getOwnerNotificationReason(
  errorCode: string,
  format: WebhookFormat,
  { stream = '' }: IncomingWebhookParameters,
): string | null {
  if (errorCode === 'INVALID_JSON') return 'its body is not JSON. Configure the sender to send JSON.';
  if (errorCode === 'MISSING_HTTP_EVENT_HEADER') {
    return `it lacks the header \`${format.eventHeader ?? ''}\`. The URL may be that of another integration.`;
  }
  if (errorCode !== 'STREAM_DOES_NOT_EXIST') return null;
  return `the channel ${neutralizeMessageSideEffects(formatInlineCode(stream))} does not exist, or the bot has no access to it.`;
}
