import { member, type RequestOutcome } from './http.js';

/**
 * Outcome of a request from the client's point of view. `done`: a success. `refused`: a documented error (`code`).
 * `unknown`: the service may or may not have executed the request. `unsent`: no process accepted the connection.
 */
export type Verdict =
  | { readonly kind: 'done'; readonly body: unknown; readonly requestId: string }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unsent' }
  | { readonly kind: 'unclean'; readonly text: string };

/**
 * Classifies a response of the chat service. The response body must have the fields `result` and `msg`, and 503 is the
 * only allowed 5xx status (docs/contract/chat.md 1.4, 1.5).
 */
export function readChatResponse(outcome: RequestOutcome): Verdict {
  if (outcome.kind === 'cut') return { kind: 'unknown' };
  const { status, body, requestId } = outcome;
  if (status === 502) return { kind: 'unsent' };
  const result = member(body, 'result');
  if (status === 200 && result === 'success') return { kind: 'done', body, requestId };
  const isEnvelope = result === 'error' && typeof member(body, 'msg') === 'string';
  if (status === 503 && isEnvelope) return { kind: 'unknown' };
  if (status >= 400 && status < 500 && isEnvelope)
    return { kind: 'refused', status, code: String(member(body, 'code')) };
  return unexpectedResponse(outcome);
}

/**
 * Classifies a response of the inventory service. The response body must be JSON, and 503 with `detail` is the only
 * allowed 5xx status (docs/contract/inventory.md 1.5).
 */
export function readInventoryResponse(outcome: RequestOutcome): Verdict {
  if (outcome.kind === 'cut') return { kind: 'unknown' };
  const { status, body, requestId } = outcome;
  if (status === 502) return { kind: 'unsent' };
  if (status >= 200 && status < 300) return { kind: 'done', body, requestId };
  if (status === 503 && typeof member(body, 'detail') === 'string') return { kind: 'unknown' };
  const isJson = typeof body === 'object' && body !== null;
  if (status >= 400 && status < 500 && isJson) return { kind: 'refused', status, code: JSON.stringify(body) };
  return unexpectedResponse(outcome);
}

function unexpectedResponse(outcome: RequestOutcome & { kind: 'answered' }): Verdict {
  return { kind: 'unclean', text: `${outcome.status} ${JSON.stringify(outcome.body).slice(0, 300)}` };
}
