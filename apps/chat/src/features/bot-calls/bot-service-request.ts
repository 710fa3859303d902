import type { OutboundRequest } from '@switchboard/outbound';
import { emptyTopicName } from '../../events/empty-topic-name.js';
import { announcedServerVersion } from '../../core/realms/index.js';
import { toWireMessage } from '../../core/messages/index.js';
import type { DueBotServiceRequest } from './bot-calls.repository.js';

/** Numbers of the formats of requests to a bot's service: the native format, or the format of Slack. */
export const botServiceRequestFormats = { native: 1, slack: 2 } as const;

const botServiceUserAgent = `ZulipOutgoingWebhook/${announcedServerVersion.zulip_version}`;

/**
 * Creates the HTTP request that reports a message to a bot's service (docs/contract/chat.md 2.I). Returns null if the
 * service's request format does not support the kind of message.
 */
export function createBotServiceHttpRequest(call: DueBotServiceRequest, token: string): OutboundRequest | null {
  const { url, form } = call.service;
  if (form !== botServiceRequestFormats.slack)
    return createJsonPostRequest(url, 'application/json', JSON.stringify(createNativeRequestBody(call, token)));
  const fields = createSlackFields(call, token);
  return (
    fields && createJsonPostRequest(url, 'application/x-www-form-urlencoded', new URLSearchParams(fields).toString())
  );
}

function createJsonPostRequest(url: string, contentType: string, body: string): OutboundRequest {
  const headers = { 'content-type': contentType, accept: 'application/json', 'user-agent': botServiceUserAgent };
  return { url, method: 'POST', headers, body, oversize: 'truncate' };
}

function createNativeRequestBody({ bot, message, trigger }: DueBotServiceRequest, token: string) {
  const view = { viewer: bot, applyMarkdown: false, clientGravatar: false, emptyTopicName };
  return {
    bot_email: bot.deliveryEmail,
    bot_full_name: bot.fullName,
    data: message.content ?? '',
    message: { ...toWireMessage(message, view), rendered_content: message.rendered ?? '' },
    token,
    trigger,
  };
}

/**
 * Returns the fields of a request in the Slack format. Returns null for a direct message, because the format supports
 * only channel messages.
 */
function createSlackFields(
  { bot, message, trigger, host }: DueBotServiceRequest,
  token: string,
): Record<string, string> | null {
  const { channel, sender } = message;
  if (channel === null) return null;
  return {
    token,
    team_id: `T${bot.realmId}`,
    team_domain: host ?? message.realm,
    channel_id: `C${channel.id}`,
    channel_name: channel.name,
    thread_ts: String(message.sentAt),
    timestamp: String(message.sentAt),
    user_id: `U${sender.id}`,
    user_name: sender.fullName,
    command: `@**${bot.fullName}**`,
    text: message.content ?? '',
    trigger_word: trigger,
    service_id: String(bot.id),
  };
}
