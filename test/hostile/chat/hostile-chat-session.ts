import { ChatUser } from '../../faults/chat/chat-user.js';
import type { Session } from '../hostile-request.js';
import { type Call, send } from '../send-hostile-request.js';
import { get, numbers } from './list-hostile-calls.js';

const patienceMs = 60_000;

/**
 * Signs in to chat as a member of the demo organization. The requests of the returned session go to paths below
 * `/api/v1/`.
 */
export async function signInToChat(origin: string): Promise<Session> {
  const { authorization } = await ChatUser.signIn(origin, 'hamlet');
  const prepared = (call: Call): Call => ({
    ...call,
    path: call.path.startsWith('/') ? call.path : `/api/v1/${call.path}`,
    headers: { authorization, ...call.headers },
  });
  const ask = async (call: Call): Promise<unknown> => {
    const reply = await send(origin, prepared(call), patienceMs);
    const isDone = reply.kind === 'answered' && reply.status < 300;
    if (!isDone) throw new Error(`${call.method} ${call.path}: ${JSON.stringify(reply)}`);
    return JSON.parse(reply.text);
  };
  // Opens every connection of the pool and fills its caches before memory is measured.
  await Promise.all(numbers(30).map(() => ask(get('streams'))));
  return { prepared, ask };
}
