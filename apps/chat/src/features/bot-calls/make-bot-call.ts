import type { Database, Tx } from '@switchboard/database';
import { ApplicationError } from '@switchboard/errors';
import { type OutboundClient, OutboundError } from '@switchboard/outbound';
import type { JobContext } from '@switchboard/queue';
import type { ApiKeyStore } from '../../core/access/api-keys.js';
import type { MessageRecord, SendMessage } from '../../core/messages/index.js';
import { type DueBotServiceRequest, findBotServiceRequest, removeBotServiceRequest } from './bot-calls.repository.js';
import {
  directMessagesNotSupportedText,
  createBotServiceFailureMessage,
  botServiceUnavailableText,
} from './bot-call-failure-message.js';
import {
  parseBotServiceResponse,
  toFailedBotServiceResponse,
  type BotServiceResponse,
} from './bot-service-response.js';
import { createBotServiceHttpRequest } from './bot-service-request.js';

/** Client name that is recorded for replies of outgoing webhook bots. */
const botReplyClientName = { client: 'OutgoingWebhookResponse' };

/** Objects and values that {@link SendBotServiceRequest} receives from its caller. */
export interface SendBotServiceRequestDependencies {
  readonly database: Database;
  readonly apiKeys: ApiKeyStore;
  readonly sendMessage: Pick<SendMessage, 'run'>;
  readonly outbound: Pick<OutboundClient, 'request'>;
}

/** Error that signals that another process has already completed the request to the bot's service. */
class BotServiceRequestCompletedError extends Error {
  override readonly name = 'BotServiceRequestCompletedError';
}

/** Sends requests to the services of bots, and posts the services' replies as messages (docs/contract/chat.md 2.I). */
export class SendBotServiceRequest {
  constructor(private readonly parts: SendBotServiceRequestDependencies) {}

  /**
   * Makes one attempt to send a request to a bot's service. The bot posts the reply only once, even if the request is
   * sent several times.
   *
   * @throws Error if a later attempt may succeed and the job has attempts left
   */
  async run(id: string, context: Pick<JobContext, 'lastAttempt' | 'signal'>): Promise<void> {
    const { database } = this.parts;
    const call = await findBotServiceRequest(database, id);
    if (call === null) return void (await removeBotServiceRequest(database, id));
    const response = await this.#requestReply(call, context.signal);
    if (response.kind === 'failure' && response.mayRecover && !context.lastAttempt) {
      throw new Error(`The service of bot ${call.bot.id} ${response.reason}`);
    }
    try {
      await this.#handleResponse(call, response);
    } catch (error) {
      if (!(error instanceof BotServiceRequestCompletedError)) throw error;
    }
  }

  async #requestReply(call: DueBotServiceRequest, signal: AbortSignal): Promise<BotServiceResponse> {
    const { apiKeys, outbound } = this.parts;
    const request = createBotServiceHttpRequest(
      call,
      apiKeys.decryptStoredApiKey(call.bot.id, call.service.sealedToken),
    );
    if (request === null) return { kind: 'reply', content: directMessagesNotSupportedText };
    try {
      return parseBotServiceResponse(await outbound.request({ ...request, signal }), call.service.form);
    } catch (error) {
      if (signal.aborted || !(error instanceof OutboundError)) throw error;
      return toFailedBotServiceResponse(error);
    }
  }

  async #handleResponse(call: DueBotServiceRequest, response: BotServiceResponse): Promise<void> {
    if (response.kind === 'silence') return void (await removeBotServiceRequest(this.parts.database, call.id));
    if (response.kind === 'failure') return this.#reportFailure(call, response.reason, response.said);
    try {
      await this.#send(
        call,
        getReplyConversation(call.message),
        response.content,
        createBotServiceRequestDeletion(call),
      );
    } catch (error) {
      if (!(error instanceof ApplicationError)) throw error;
      await this.#reportFailure(call, `sent a reply that was rejected: ${error.message}`, response.content);
    }
  }

  /**
   * Sends the bot's owner one message about a failed request to the bot's service. Also sends a message to the
   * conversation in which users called the bot, if the bot may post there.
   */
  async #reportFailure(call: DueBotServiceRequest, reason: string, said: string): Promise<void> {
    const owner: BotMessageRecipient = { type: 'direct', to: JSON.stringify([call.ownerId]) };
    const isNotified =
      call.ownerId !== null &&
      (await this.#sendAsBot(call, owner, createBotServiceFailureMessage(call, reason, said), true));
    if (!isNotified) await removeBotServiceRequest(this.parts.database, call.id);
    await this.#sendAsBot(call, getReplyConversation(call.message), botServiceUnavailableText, false);
  }

  /** Sends a message whose sender is the bot. @returns false if the bot may not send the message */
  async #sendAsBot(
    call: DueBotServiceRequest,
    place: BotMessageRecipient,
    content: string,
    settles: boolean,
  ): Promise<boolean> {
    try {
      await this.#send(call, place, content, settles ? createBotServiceRequestDeletion(call) : undefined);
      return true;
    } catch (error) {
      if (error instanceof ApplicationError) return false;
      throw error;
    }
  }

  async #send(
    { bot }: DueBotServiceRequest,
    place: BotMessageRecipient,
    content: string,
    first?: (tx: Tx) => Promise<void>,
  ): Promise<void> {
    await this.parts.sendMessage.run(bot, { ...place, content }, botReplyClientName, first);
  }
}

/**
 * Returns a function that deletes the bot call. It runs in the transaction that posts the result of the call.
 *
 * @throws BotServiceRequestCompletedError
 */
function createBotServiceRequestDeletion({ id }: DueBotServiceRequest): (tx: Tx) => Promise<void> {
  return async (tx) => {
    if (!(await removeBotServiceRequest(tx, id))) throw new BotServiceRequestCompletedError(`Call ${id} is settled`);
  };
}

/** Conversation to which a bot's message is sent: a channel and topic, or users. */
type BotMessageRecipient = Pick<Parameters<SendMessage['run']>[1], 'type' | 'to' | 'topic'>;

/** Returns the conversation of a message in the form of a destination for a reply. */
function getReplyConversation({ channel, topic, participants }: MessageRecord): BotMessageRecipient {
  if (channel !== null) return { type: 'channel', to: JSON.stringify([channel.id]), topic };
  return { type: 'direct', to: JSON.stringify(participants.map(({ id }) => id)) };
}
