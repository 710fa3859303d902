import type { ChatCase } from '../chat/chat-case.js';
import { ChatUser } from '../chat/chat-user.js';
import { member, type RequestOutcome, send } from '../http.js';
import type { InventoryCase } from '../inventory/inventory-case.js';
import { InventoryUser } from '../inventory/inventory-user.js';
import { readChatResponse } from '../classify-responses.js';
import type { ServiceProcess } from '../services/service-process.js';
import { bodyOf } from './lost-rows.js';

/** A credential that a test ends during the loss of a Redis primary. */
export interface TestedCredential {
  readonly name: string;
  /** True to end the credential during the loss. If false, it ends directly before the loss. */
  readonly endsDuringLoss: boolean;
  /** API processes that accept the credential until its end. */
  readonly processes: readonly ServiceProcess[];
  /** Sends a request with the credential. */
  use(origin: string): Promise<RequestOutcome>;
  /** Sends the request that ends the credential. */
  end(): Promise<RequestOutcome>;
  /** Returns a line of text for each right that should have ended together with the credential and has not. */
  findSurvivors(): Promise<string[]>;
}

const noSurvivors = (): Promise<string[]> => Promise.resolve([]);

/**
 * Creates two credentials of each kind, of which one is ended during the loss. The kinds are API key and session of
 * chat, and token of the inventory.
 */
export async function createTestedCredentials(chat: ChatCase, inventory: InventoryCase): Promise<TestedCredential[]> {
  const credentials = await Promise.all([
    createReplacedKey(chat, 'prospero', false),
    createReplacedKey(chat, 'shiva', true),
    createDeactivatedAccount(chat, 'AARON', false),
    createDeactivatedAccount(chat, 'polonius', true),
    createDeletedToken(inventory, false),
    createDeletedToken(inventory, true),
  ]);
  return credentials.flat();
}

/** Creates an API key of a chat user, which ends when the user requests a new key. */
async function createReplacedKey(chat: ChatCase, name: string, endsDuringLoss: boolean): Promise<TestedCredential> {
  const { apis: processes, proxy } = chat.deployment;
  const user = await ChatUser.signIn(proxy.origin, name);
  return {
    name: `the replaced API key of ${name}`,
    endsDuringLoss,
    processes,
    use: (origin) => user.at(origin).get('users/me', {}),
    end: () => user.call('POST', 'users/me/api_key/regenerate', {}),
    findSurvivors: noSurvivors,
  };
}

/**
 * Creates a session and an API key of a chat account, which end when an owner deactivates the account. The account has an
 * event queue, which must not exist any more after the account is reactivated.
 */
async function createDeactivatedAccount(
  chat: ChatCase,
  name: string,
  endsDuringLoss: boolean,
): Promise<TestedCredential[]> {
  const { apis: processes, proxy } = chat.deployment;
  const [user, owner, cookie] = await Promise.all([
    ChatUser.signIn(proxy.origin, name),
    ChatUser.signIn(proxy.origin, 'desdemona'),
    openSession(proxy.origin, name),
  ]);
  const registered = bodyOf(
    await user.call('POST', 'register', { event_types: '["message"]', fetch_event_types: '[]' }),
  );
  const queueId = String(member(registered, 'queue_id'));
  const shared = { endsDuringLoss, processes, end: () => owner.call('DELETE', `users/${user.id}`, {}) };
  return [
    {
      ...shared,
      name: `the session of the deactivated account ${name}`,
      use: (origin) => send(origin, { method: 'GET', path: '/json/users/me', headers: { cookie } }),
      findSurvivors: noSurvivors,
    },
    {
      ...shared,
      name: `the API key of the deactivated account ${name}`,
      use: (origin) => user.at(origin).get('users/me', {}),
      findSurvivors: async () => {
        await owner.call('POST', `users/${user.id}/reactivate`, {});
        const returned = await ChatUser.signIn(proxy.origin, name);
        const query = { queue_id: queueId, last_event_id: '-1', dont_block: 'true' };
        let verdict = readChatResponse(await returned.get('events', query));
        while (verdict.kind === 'unknown') verdict = readChatResponse(await returned.get('events', query));
        const isRefused = verdict.kind === 'refused' && verdict.code === 'BAD_EVENT_QUEUE_ID';
        return isRefused ? [] : [`its event queue still exists: ${JSON.stringify(verdict)}`];
      },
    },
  ];
}

/** Signs in a user of chat as a browser does, and returns the cookies of the session. */
async function openSession(origin: string, name: string): Promise<string> {
  const username = encodeURIComponent(`${name}@example.com`);
  const response = await fetch(`${origin}/api/v1/dev_fetch_api_key?username=${username}`, { method: 'POST' });
  await response.arrayBuffer();
  return response.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ');
}

/** Creates an API token of the inventory, which ends when it is deleted. */
async function createDeletedToken(inventory: InventoryCase, endsDuringLoss: boolean): Promise<TestedCredential> {
  const { apis: processes, proxy } = inventory.deployment;
  const admin = new InventoryUser(proxy.origin);
  const users = member(bodyOf(await admin.call('GET', 'users/users/?limit=1&ordering=id')), 'results');
  const user = member(Array.isArray(users) ? (users as unknown[])[0] : undefined, 'id');
  const issued = await admin.call('POST', 'users/tokens/', { user });
  const token = issued.kind === 'answered' ? issued.body : undefined;
  const authorization = `Bearer nbt_${String(member(token, 'key'))}.${String(member(token, 'token'))}`;
  return {
    name: `the deleted token ${String(member(token, 'id'))}`,
    endsDuringLoss,
    processes,
    use: (origin) => new InventoryUser(origin, authorization).call('GET', 'dcim/sites/?limit=1'),
    end: () => admin.call('DELETE', `users/tokens/${String(member(token, 'id'))}/`),
    findSurvivors: noSurvivors,
  };
}
