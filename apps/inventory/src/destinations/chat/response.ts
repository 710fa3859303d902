import type { OutboundResponse } from '@switchboard/outbound';
import { retryAfterMs, type ReceiverResponseProblem } from '@switchboard/webhooks';

/**
 * Returns the error of a chat server's response, including the server's error message, or null for success. A message
 * that the server rejects with status 400 is not retried.
 */
export function findErrorOfChatResponse(
  { status, headers, body }: OutboundResponse,
  nowMs: number,
): ReceiverResponseProblem | null {
  const text = body.toString('utf8');
  const response = parseChatResponseObject(text);
  if (status >= 200 && status < 300 && response.result === 'success') return null;
  const message = typeof response.msg === 'string' && response.msg !== '' ? response.msg : text;
  const seconds = response['retry-after'];
  return {
    error: `Status ${status} returned by the chat server: ${message.slice(0, 500)}`,
    final: status === 400,
    retryAfterMs:
      retryAfterMs(headers['retry-after'], nowMs) ??
      (typeof seconds === 'number' ? Math.max(0, seconds * 1000) : undefined),
  };
}

function parseChatResponseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return { ...Object(value) };
  } catch {
    return {};
  }
}
