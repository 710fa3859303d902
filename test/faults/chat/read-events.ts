import { member } from '../http.js';
import { readChatResponse, type Verdict } from '../classify-responses.js';
import type { ChatUser } from './chat-user.js';

/** A request for the events of a queue after `lastEventId`, which also acknowledges all events up to that id. */
interface EventsRequest {
  readonly user: ChatUser;
  readonly queueId: string;
  readonly lastEventId: number;
  readonly signal: AbortSignal;
  /** Callback that receives the events, in order. A stream calls the function for each part of the response. */
  readonly receive: (events: readonly unknown[]) => void;
}

/** Function that requests events, and resolves when the response has ended. */
export type ReadEvents = (request: EventsRequest) => Promise<Verdict>;

/** Requests the next events of an event queue by `GET /events`. */
export const pollEvents: ReadEvents = async ({ user, queueId, lastEventId, signal, receive }) => {
  const query = { queue_id: queueId, last_event_id: String(lastEventId) };
  const verdict = readChatResponse(await user.get('events', query, { signal }));
  if (verdict.kind !== 'done') return verdict;
  const events = member(verdict.body, 'events');
  if (!Array.isArray(events)) return { kind: 'unclean', text: 'a response without events' };
  receive(events);
  return verdict;
};

/**
 * Requests the events of an event queue by `GET /events/stream`, until the stream ends. Like in a browser, an
 * incomplete message at the end of the stream is ignored.
 */
export const streamEvents: ReadEvents = async ({ user, queueId, lastEventId, signal, receive }) => {
  let rest = '';
  let failure: unknown;
  const problems: string[] = [];
  const onStreamText = (text: string): void => {
    const parts = (rest + text).split('\n\n');
    rest = parts.pop() ?? '';
    const events: unknown[] = [];
    for (const { id, event, data } of parts.map((part) => fieldsOf(part))) {
      if (data === undefined) continue;
      const parsed: unknown = JSON.parse(data);
      if (event === 'error') failure = parsed;
      else events.push(parsed);
      if (event === undefined && id !== String(member(parsed, 'id'))) problems.push(`id ${id} of ${data}`);
    }
    if (events.length > 0 || failure === undefined) receive(events);
  };
  // Like a browser that reconnects, the request repeats the first id in its URL.
  const options = { headers: { 'last-event-id': String(lastEventId) }, signal, onStreamText };
  const outcome = await user.get('events/stream', { queue_id: queueId, last_event_id: '-1' }, options);
  if (problems.length > 0) return { kind: 'unclean', text: problems.join(', ') };
  if (failure !== undefined) {
    const status = member(failure, 'code') === 'SERVICE_UNAVAILABLE' ? 503 : 400;
    return readChatResponse({ kind: 'answered', status, requestId: '', body: failure });
  }
  const hasEnded = outcome.kind === 'answered' && outcome.status === 200;
  return hasEnded ? { kind: 'done', body: null, requestId: outcome.requestId } : readChatResponse(outcome);
};

/** Returns the fields of a message in the server-sent events format. */
function fieldsOf(message: string): { id?: string; event?: string; data?: string } {
  return Object.fromEntries(message.split('\n').map((line) => line.split(/: (.*)/s)));
}
