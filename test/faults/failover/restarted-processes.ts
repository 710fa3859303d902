import type { ChatCase } from '../chat/chat-case.js';
import { ChatUser } from '../chat/chat-user.js';
import { member } from '../http.js';
import type { InventoryCase } from '../inventory/inventory-case.js';
import { InventoryUser } from '../inventory/inventory-user.js';
import { readChatResponse, readInventoryResponse } from '../classify-responses.js';
import type { ServiceProcess } from '../services/service-process.js';
import { ClientState, fetchedTypes } from '../state/client-state.js';
import type { Json } from '../state/json.js';
import { originOf } from './lost-rows.js';

/**
 * Compares the responses of each API process with the responses of a restarted process, which has no cached data. No
 * client may write during the comparison. Returns a line of text for each difference.
 */
export async function compareWithRestartedProcesses(chat: ChatCase, inventory: InventoryCase): Promise<string[]> {
  const user = await ChatUser.signIn(chat.deployment.proxy.origin, 'desdemona');
  const differences = await Promise.all([
    compareWithRestarted(chat.deployment.apis, (origin) => readState(user.at(origin))),
    compareWithRestarted(inventory.deployment.apis, (origin) => readSites(new InventoryUser(origin))),
  ]);
  return differences.flat();
}

async function compareWithRestarted(
  processes: readonly ServiceProcess[],
  read: (origin: string) => Promise<unknown>,
): Promise<string[]> {
  const [first] = processes;
  if (first === undefined) throw new Error('the service has no API process');
  const before = await Promise.all(
    processes.map(async (one) => ({ one, response: await readWithoutOrigin(one, read) })),
  );
  await first.stop();
  first.start();
  await first.ready();
  const expected = await readWithoutOrigin(first, read);
  return before
    .filter(({ response }) => response !== expected)
    .map(
      ({ one, response }) =>
        `${one.options.name} differs from a restarted process: ${describeDifference(response, expected)}`,
    );
}

/** Returns the text of a response. Removes the address of the process, which occurs in URLs. */
async function readWithoutOrigin(one: ServiceProcess, read: (origin: string) => Promise<unknown>): Promise<string> {
  const origin = originOf(one);
  return JSON.stringify(await read(origin)).replaceAll(origin, '');
}

/** Returns a description of the first difference between two texts, with the surrounding parts of the texts. */
function describeDifference(text: string, expected: string): string {
  let at = 0;
  while (at < text.length && text[at] === expected[at]) at += 1;
  const start = Math.max(0, at - 60);
  return `${text.slice(start, at + 100)} and not ${expected.slice(start, at + 100)}`;
}

/** Returns the state that a chat client gets if it registers now. */
async function readState(user: ChatUser): Promise<unknown> {
  const parameters = {
    event_types: '["heartbeat"]',
    fetch_event_types: JSON.stringify(fetchedTypes),
    include_subscribers: 'true',
    idle_queue_timeout: '5',
  };
  const verdict = readChatResponse(await user.call('POST', 'register', parameters));
  if (verdict.kind !== 'done') throw new Error(`register: ${JSON.stringify(verdict)}`);
  return new ClientState(user.id, verdict.body as Json).toJSON();
}

async function readSites(user: InventoryUser): Promise<unknown> {
  const verdict = readInventoryResponse(await user.call('GET', 'dcim/sites/?limit=1000&ordering=id'));
  if (verdict.kind !== 'done') throw new Error(`sites: ${JSON.stringify(verdict)}`);
  return member(verdict.body, 'results');
}
