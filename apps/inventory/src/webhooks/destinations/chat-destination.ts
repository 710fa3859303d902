import type { OutboundResponse } from '@switchboard/outbound';
import { renderTemplate, TemplateError, TemplateLimitError } from '@switchboard/templates';
import { retryAfterMs } from '../retry-policy.js';
import { UndeliverableError } from '../undeliverable-error.js';
import {
  originSql,
  type BuildEnvironment,
  type BuiltRequest,
  type ClaimedDelivery,
  type Complaint,
  type Destination,
} from './destination.js';
import type { StoredObject } from './stored-object.js';

/** A channel of a chat server, and the bot that writes to it; `botKey` is sealed. */
export interface StoredChatDestination extends StoredObject {
  readonly serverUrl: string;
  readonly botEmail: string;
  readonly botKey: string;
  readonly channel: string;
  readonly topicTemplate: string;
  readonly messageTemplate: string;
}

/**
 * A message in a channel of any server of the chat protocol (its `POST /api/v1/messages`). The server knows no delivery
 * ids: a message whose answer was lost is sent again.
 */
export const chatDestination: Destination<StoredChatDestination> = {
  noun: 'chat destination',
  storedSql: `SELECT json_build_object(
      'id', h.id::text, 'name', h.name, 'serverUrl', h.server_url, 'botEmail', h.bot_email, 'botKey', h.bot_key,
      'channel', h.channel, 'topicTemplate', h.topic_template, 'messageTemplate', h.message_template)
    FROM extras_chatdestination h WHERE h.id = c.action_object_id`,
  receiverSql: (id) =>
    `SELECT ${originSql('h.server_url', "'chat ' || h.id")} FROM extras_chatdestination h WHERE h.id = ${id}`,
  build: buildMessage,
  complaint: complainOfAnswer,
};

async function buildMessage(
  { payload }: ClaimedDelivery,
  chat: StoredChatDestination,
  { openBotKey, settings }: BuildEnvironment,
): Promise<BuiltRequest> {
  const context = contextOf(payload);
  const { timeoutMs } = settings.templates;
  const render = (part: Part): string => rendered(chat, part, { context, timeoutMs });
  const body = new URLSearchParams({
    type: 'stream',
    to: chat.channel,
    // A topic is one line.
    topic: render('topic').replaceAll(/\s+/g, ' ').trim(),
    content: render('message'),
  }).toString();
  const request = {
    url: new URL('api/v1/messages', `${chat.serverUrl.replace(/\/+$/, '')}/`).href,
    method: 'POST',
    headers: {
      'user-agent': 'Switchboard-Inventory',
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(`${chat.botEmail}:${openedKey(chat, openBotKey)}`).toString('base64')}`,
    },
    body,
    // What a redirect makes of a message is not known: a GET, for example, that succeeds and sends nothing.
    maxRedirects: 0,
    oversize: 'truncate' as const,
  };
  return { request, body };
}

/** Names of objects mention nobody, however people called them; mentions that stand in a template do. */
function contextOf(payload: string): Record<string, unknown> {
  return JSON.parse(payload, (_key, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(/@(?=_?\*)/g, '@\u200B') : value,
  );
}

type Part = 'topic' | 'message';

/** @throws TemplateLimitError for a template that had no time left, which may be the machine's fault */
function rendered(
  { name, topicTemplate, messageTemplate }: StoredChatDestination,
  part: Part,
  { context, timeoutMs }: { readonly context: Readonly<Record<string, unknown>>; readonly timeoutMs: number },
): string {
  try {
    return renderTemplate(part === 'topic' ? topicTemplate : messageTemplate, context, { limits: { timeoutMs } });
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const what = `${error.name}: ${error.message}`;
    const message = `The ${part} template of chat destination ${name} cannot be rendered: ${what}`;
    const timeIsUp = error instanceof TemplateLimitError && error.limit === 'time';
    throw timeIsUp ? new TemplateLimitError('time', message) : new UndeliverableError(message);
  }
}

function openedKey({ name, botKey }: StoredChatDestination, openBotKey: BuildEnvironment['openBotKey']): string {
  try {
    return openBotKey(botKey) ?? '';
  } catch (cause) {
    throw new UndeliverableError(`The bot key of chat destination ${name} cannot be decrypted.`, { cause });
  }
}

/**
 * Returns the error of a response, with the server's message; a message that the server refuses (400) is not retried.
 */
function complainOfAnswer({ status, headers, body }: OutboundResponse, nowMs: number): Complaint | null {
  const text = body.toString('utf8');
  const answer = readAnswer(text);
  if (status >= 200 && status < 300 && answer.result === 'success') return null;
  const said = typeof answer.msg === 'string' && answer.msg !== '' ? answer.msg : text;
  const seconds = answer['retry-after'];
  return {
    error: `Status ${status} returned by the chat server: ${said.slice(0, 500)}`,
    final: status === 400,
    retryAfterMs:
      retryAfterMs(headers['retry-after'], nowMs) ??
      (typeof seconds === 'number' ? Math.max(0, seconds * 1000) : undefined),
  };
}

function readAnswer(text: string): Record<string, unknown> {
  try {
    const answer: unknown = JSON.parse(text);
    return { ...Object(answer) };
  } catch {
    return {};
  }
}
