import { randomBytes } from 'node:crypto';
import { ChatUser } from '../chat/chat-user.js';
import type { ChatCase } from '../chat/chat-case.js';
import { member, type RequestOutcome } from '../http.js';
import { keyOf } from '../inventory/check-deliveries.js';
import type { InventoryCase } from '../inventory/inventory-case.js';
import { InventoryUser } from '../inventory/inventory-user.js';
import type { ServiceProcess } from '../services/service-process.js';

/** A request to one process, whose response depends on a row that only the former primary database server has. */
interface LostRowCheck {
  readonly name: string;
  /**
   * Sends the request. Returns true if the response shows the lost row, false if not, and null for an unsuccessful
   * response.
   */
  run(): Promise<boolean | null>;
}

/** Returns the HTTP origin (scheme, host and port) of a service process. */
export function originOf({ options }: ServiceProcess): string {
  return `http://127.0.0.1:${options.port}`;
}

/** Returns the body of a response with status 200, or null for any other outcome. */
export function bodyOf(outcome: RequestOutcome): unknown {
  return outcome.kind === 'answered' && outcome.status === 200 ? outcome.body : null;
}

/** Returns true for a response with status 200, false for refused credentials, and null for any other outcome. */
export function isAccepted(outcome: RequestOutcome): boolean | null {
  if (outcome.kind !== 'answered') return null;
  if (outcome.status === 401 || outcome.status === 403) return false;
  return outcome.status === 200 ? true : null;
}

/** Rows that only the former primary database server has. */
interface LostRows {
  /** Requests to each process whose responses show whether the process still sees the lost rows. */
  readonly checks: readonly LostRowCheck[];
  /** Keys of the lost changes for which webhooks were sent. */
  readonly changes: readonly string[];
}

/** Creates rows in both services that the failover will lose. Returns requests that show the rows. */
export async function createLostRows(chat: ChatCase, inventory: InventoryCase): Promise<LostRows> {
  const site = `lost-${randomBytes(4).toString('hex')}`;
  const [chatChecks, inventoryChecks] = await Promise.all([
    createChatRows(chat.deployment.proxy.origin, chat.deployment.apis),
    createInventoryRows(inventory.deployment.proxy.origin, inventory.deployment.apis, site),
  ]);
  return { checks: [...chatChecks, ...inventoryChecks], changes: [keyOf({ event: 'created', mark: site })] };
}

/**
 * Runs the checks for lost rows. Returns the names and results of the checks whose result is not the expected result.
 *
 * @param isShown expected result
 */
export async function findOtherResults(checks: readonly LostRowCheck[], isShown: boolean): Promise<string[]> {
  const results = await Promise.all(checks.map(async (check) => ({ name: check.name, result: await check.run() })));
  return results.filter(({ result }) => result !== isShown).map(({ name, result }) => `${name}: ${String(result)}`);
}

async function createChatRows(origin: string, processes: readonly ServiceProcess[]): Promise<LostRowCheck[]> {
  const user = await ChatUser.signIn(origin, 'prospero');
  const channel = `lost-${randomBytes(4).toString('hex')}`;
  const subscriptions = JSON.stringify([{ name: channel }]);
  const created = await user.call('POST', 'users/me/subscriptions', { subscriptions });
  if (bodyOf(created) === null) throw new Error(`no channel was created: ${JSON.stringify(created)}`);
  const reader = await ChatUser.signIn(origin, 'desdemona');
  const renewed = bodyOf(await user.call('POST', 'users/me/api_key/regenerate', {}));
  const withLostKey = user.withKey(String(member(renewed, 'api_key')));
  const register = {
    event_types: '["heartbeat"]',
    fetch_event_types: '["stream","subscription","realm_user"]',
    idle_queue_timeout: '5',
  };
  const shows = (outcome: RequestOutcome): boolean | null => {
    const body = bodyOf(outcome);
    return body === null ? null : JSON.stringify(body).includes(channel);
  };
  return processes.flatMap((process) => {
    const at = originOf(process);
    const { name } = process.options;
    return [
      {
        name: `${name}: snapshot with a lost channel`,
        run: async () => shows(await reader.at(at).call('POST', 'register', register)),
      },
      {
        name: `${name}: list with a lost channel`,
        run: async () => shows(await reader.at(at).get('streams', { include_all: 'true' })),
      },
      {
        name: `${name}: request with a lost API key`,
        run: async () => isAccepted(await withLostKey.at(at).get('users/me', {})),
      },
      {
        name: `${name}: API key that was replaced by a lost one`,
        run: async () => {
          const accepted = isAccepted(await user.at(at).get('users/me', {}));
          return accepted === null ? null : !accepted;
        },
      },
    ];
  });
}

async function createInventoryRows(
  origin: string,
  processes: readonly ServiceProcess[],
  name: string,
): Promise<LostRowCheck[]> {
  const admin = new InventoryUser(origin);
  const created = await admin.call('POST', 'dcim/sites/', { name, slug: name, description: name });
  const id = created.kind === 'answered' ? Number(member(created.body, 'id')) : Number.NaN;
  const users = await admin.call('GET', 'users/users/?limit=1&ordering=id');
  const results = member(bodyOf(users), 'results');
  const user = member(Array.isArray(results) ? (results as unknown[])[0] : undefined, 'id');
  const issued = await admin.call('POST', 'users/tokens/', { user });
  const token = issued.kind === 'answered' ? issued.body : undefined;
  const authorization = `Bearer nbt_${String(member(token, 'key'))}.${String(member(token, 'token'))}`;
  return processes.flatMap((process) => {
    const at = originOf(process);
    const direct = new InventoryUser(at);
    const { name: processName } = process.options;
    return [
      {
        name: `${processName}: page with a lost site`,
        run: async () => {
          const body = bodyOf(await direct.call('GET', `dcim/sites/?name=${name}`));
          return body === null ? null : member(body, 'count') !== 0;
        },
      },
      {
        name: `${processName}: lost site`,
        run: async () => {
          const outcome = await direct.call('GET', `dcim/sites/${id}/`);
          if (outcome.kind === 'answered' && outcome.status === 404) return false;
          const body = bodyOf(outcome);
          return body === null ? null : member(body, 'name') === name;
        },
      },
      {
        name: `${processName}: request with a lost token`,
        run: async () => isAccepted(await new InventoryUser(at, authorization).call('GET', 'dcim/sites/?limit=1')),
      },
    ];
  });
}
