import { renderTemplate, TemplateError, TemplateLimitError } from '@switchboard/templates';
import { UndeliverableError, type BuiltRequest } from '@switchboard/webhooks';
import type { DeliveryRequestBuildServices, ClaimedEventDelivery, StoredActionObject } from '../define-destination.js';

/** A stored chat destination, with the credentials of the sending bot. The field `botKey` is encrypted. */
export interface StoredChatDestination extends StoredActionObject {
  readonly serverUrl: string;
  readonly botEmail: string;
  readonly botKey: string;
  readonly channel: string;
  readonly topicTemplate: string;
  readonly messageTemplate: string;
}

/**
 * Builds the HTTP request that sends a chat message about an event. Chat servers do not detect duplicates, so a message
 * whose response was lost is sent again.
 */
export async function buildChatMessageRequest(
  { payload }: ClaimedEventDelivery,
  chat: StoredChatDestination,
  { openSecret, settings }: DeliveryRequestBuildServices<'bot_key'>,
): Promise<BuiltRequest> {
  const context = parseMessageTemplateContext(payload);
  const { timeoutMs } = settings.templates;
  const render = (part: ChatMessageTemplateName): string => renderChatTemplate(chat, part, { context, timeoutMs });
  const body = new URLSearchParams({
    type: 'stream',
    to: chat.channel,
    // A topic cannot contain line breaks.
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
    // Following a redirect may change the request, for example into a GET that succeeds without sending the message.
    maxRedirects: 0,
    oversize: 'truncate' as const,
  };
  return { request, body };
}

/**
 * Parses the JSON of an event as the context of a message template. Texts in the event are escaped, so that the name of
 * an object cannot mention users. Mentions in the template itself remain effective.
 */
function parseMessageTemplateContext(payload: string): Record<string, unknown> {
  return JSON.parse(payload, (_key, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(/@(?=_?\*)/g, '@\u200B') : value,
  );
}

type ChatMessageTemplateName = 'topic' | 'message';

/**
 * Renders a template of a chat destination to text. @throws UndeliverableError if the template fails
 * @throws TemplateLimitError if the rendering ran out of time, which may be due to load
 */
function renderChatTemplate(
  { name, topicTemplate, messageTemplate }: StoredChatDestination,
  part: ChatMessageTemplateName,
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
