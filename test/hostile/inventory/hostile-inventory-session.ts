import { adminToken } from '../../faults/inventory/inventory-user.js';
import type { Session } from '../hostile-request.js';
import { type Call, send } from '../send-hostile-request.js';
import { get, numbers, post } from './list-hostile-calls.js';

export { adminToken };

const patienceMs = 60_000;

/** Signs in to the inventory as the demo superuser. The requests of the returned session go to paths below `/api/`. */
export async function signInToInventory(origin: string): Promise<Session> {
  const prepared = (call: Call): Call => ({
    ...call,
    path: call.path.startsWith('/') ? call.path : `/api/${call.path}`,
    headers: { authorization: `Bearer ${adminToken}`, ...call.headers },
  });
  const ask = async (call: Call): Promise<unknown> => {
    const reply = await send(origin, prepared(call), patienceMs);
    const isDone = reply.kind === 'answered' && reply.status < 300;
    if (!isDone) throw new Error(`${call.method} ${call.path}: ${JSON.stringify(reply)}`);
    return reply.text === '' ? undefined : JSON.parse(reply.text);
  };
  await ask(
    post(
      'extras/tags/',
      numbers(700).map((n) => ({ name: `t${n}`, slug: `t${n}` })),
    ),
  );
  // Opens every connection of the pool and fills its caches before memory is measured.
  await Promise.all(numbers(30).map(() => ask(get('dcim/devices/?limit=50'))));
  return { prepared, ask };
}
