import { type OutboundError, type OutboundFailure, type OutboundResponse } from '@switchboard/outbound';
import { z } from 'zod';
import { botServiceRequestFormats } from './bot-service-request.js';

/** Result of a request to the service of a bot. */
export type BotServiceResponse =
  | { readonly kind: 'reply'; readonly content: string }
  /** Result of a request to a bot's service that requested no reply, so that the bot posts no message. */
  | { readonly kind: 'silence' }
  /**
   * Result of a failed request. The field `mayRecover` is true if a retry may succeed. The field `reason` completes a
   * sentence that begins with "its service …".
   */
  | { readonly kind: 'failure'; readonly mayRecover: boolean; readonly reason: string; readonly said: string };

/**
 * Schema of a reply's text. The text must not contain NUL characters, which the database cannot store. A number is
 * converted to text.
 */
const replyTextSchema = z.union([z.string().regex(/^[^\0]*$/), z.number().transform(String)]).optional();
const nativeResponseSchema = z.looseObject({ response_not_required: z.unknown().optional(), content: replyTextSchema });
const slackResponseSchema = z.looseObject({ text: replyTextSchema });

/** Parses the response of a bot's service. */
export function parseBotServiceResponse(
  { status, body, truncated }: OutboundResponse,
  form: number,
): BotServiceResponse {
  const said = body.toString('utf8');
  if (status < 200 || status > 299) {
    const mayRecover = status >= 500 || status === 429 || status === 408;
    return { kind: 'failure', mayRecover, reason: `responded with status ${status}`, said };
  }
  const json = truncated ? undefined : parseServiceJson(said);
  // Some bot servers send "" instead of no reply.
  if (json === '') return { kind: 'silence' };
  const content = form === botServiceRequestFormats.slack ? getSlackReplyContent(json) : getNativeReplyContent(json);
  if (content === null)
    return { kind: 'failure', mayRecover: false, reason: 'sent a response that is no valid reply', said };
  return content.trim() === '' ? { kind: 'silence' } : { kind: 'reply', content };
}

/**
 * Returns the text of a reply in the native format. Returns an empty string if the service wants no reply, and null for
 * an invalid response.
 */
function getNativeReplyContent(json: unknown): string | null {
  const { success, data } = nativeResponseSchema.safeParse(json);
  if (!success) return null;
  return data.response_not_required === true ? '' : (data.content ?? '');
}

function getSlackReplyContent(json: unknown): string | null {
  const { success, data } = slackResponseSchema.safeParse(json);
  return success ? (data.text ?? '') : null;
}

function parseServiceJson(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    return undefined;
  }
}

/** Failure reasons that the owners of bots see, by kind of failure. The reasons do not reveal resolved IP addresses. */
const botServiceFailureReasons: Readonly<Record<OutboundFailure, string>> = {
  url_refused: 'has an address that cannot be called',
  address_refused: 'is in a network that this server does not call',
  method_refused: 'cannot be called',
  header_refused: 'cannot be called',
  name_not_resolved: 'has a name that is not known',
  connect_failed: 'could not be reached',
  certificate_refused: 'shows a certificate that is not trusted',
  connection_lost: 'broke off the connection',
  timeout: 'did not respond in time',
  response_too_large: 'sent a response that is too large',
  too_many_redirects: 'redirects without end',
};

/** Kinds of request failures after which a retry cannot succeed. */
const permanentBotServiceFailures: ReadonlySet<OutboundFailure> = new Set([
  'url_refused',
  'address_refused',
  'method_refused',
  'header_refused',
]);

/** Converts the error of a failed request to a bot's service to a result. */
export function toFailedBotServiceResponse({ failure }: OutboundError): BotServiceResponse {
  return {
    kind: 'failure',
    mayRecover: !permanentBotServiceFailures.has(failure),
    reason: botServiceFailureReasons[failure],
    said: '',
  };
}
