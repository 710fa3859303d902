import type { Session } from '../hostile-request.js';
import type { Call } from '../send-hostile-request.js';
import { get, send } from './list-hostile-calls.js';
import { type SentFile, upload } from './hostile-files.js';

/** Returns a field of a JSON response. Throws an error if the field is absent. */
function requiredField(response: unknown, name: string): unknown {
  if (typeof response !== 'object' || response === null || !(name in response))
    throw new Error(`The response has no ${name}`);
  return (response as Readonly<Record<string, unknown>>)[name];
}

/** Returns a request with the credentials of an administrator of the demo organization. */
export async function adminCall(session: Session, call: Call): Promise<Call> {
  const response = await session.ask(send('POST', 'dev_fetch_api_key', { username: 'iago@example.com' }));
  const credentials = `iago@example.com:${String(requiredField(response, 'api_key'))}`;
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  return { ...call, headers: { ...call.headers, authorization } };
}

/** Sends a message of the suite's user to a channel. Returns the id of the sent message. */
export async function sentMessage(session: Session, content: string, from = (call: Call) => call): Promise<number> {
  const form = { type: 'channel', to: 'Verona', topic: 'hostile', content };
  return Number(requiredField(await session.ask(from(send('POST', 'messages', form))), 'id'));
}

/** Registers an event queue for the suite's user. Returns the query parameters of the first poll of the queue. */
export async function firstPoll(session: Session, eventTypes: readonly string[]): Promise<Record<string, string>> {
  const form = { event_types: JSON.stringify(eventTypes), fetch_event_types: '[]' };
  const response = await session.ask(send('POST', 'register', form));
  return {
    queue_id: String(requiredField(response, 'queue_id')),
    last_event_id: String(requiredField(response, 'last_event_id')),
  };
}

/** Uploads a file of the suite's user. Returns the path of the file below `/user_uploads/`. */
export async function uploadedPath(session: Session, file: SentFile): Promise<string> {
  const url = String(requiredField(await session.ask(upload('user_uploads', file)), 'url'));
  return url.replace('/user_uploads/', '');
}

/** Returns a GET request for a path from the root of the service, outside the API prefix. */
export function linkOf(path: string): Call {
  return { method: 'GET', path };
}

/** Returns a request that polls for events. The client aborts the poll after the given time. */
export function heldPoll(query: Readonly<Record<string, string>>, abandonAfterMs: number): Call {
  return get('events', query, { abandonAfterMs });
}
