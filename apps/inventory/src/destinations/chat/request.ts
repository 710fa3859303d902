import { renderTemplate, TemplateError, TemplateLimitError } from '@switchboard/templates';
import { UndeliverableError } from '../../webhooks/undeliverable-error.js';
import type { BuildEnvironment, BuiltRequest, ClaimedDelivery, StoredObject } from '../destination.js';

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
 * Builds the request that sends a message. The server knows no delivery ids: a message whose response was lost is sent
 * again.
 */
export async function buildMessage(
  { payload }: ClaimedDelivery,
  chat: StoredChatDestination,
  { openSecret, settings }: BuildEnvironment<'bot_key'>,
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
      authorization: `Basic ${Buffer.from(`${chat.botEmail}:${openSecret('bot_key', chat.botKey)}`).toString('base64')}`,
    },
    body,
    // What a redirect makes of a message is not known: a GET, for example, that succeeds and sends nothing.
    maxRedirects: 0,
    oversize: 'truncate' as const,
  };
  return { request, body };
}

/** Template context whose object names cannot mention users; mentions in the template itself work. */
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
