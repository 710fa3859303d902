import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ChatActor, isAdmin, isGuest, roleNumbers } from '../../infra/http/chat-actor.js';
import type { EmailViewer } from '../access/email-visibility.js';
import type { SqlReader } from '../../infra/sql-reader.js';
import { isSpectator } from '../access/spectator-actor.js';
import { type IndexedJsonRows, JsonRowsBuilder } from '../../infra/http/indexed-json-rows.js';
import { type DerivedDataSource, snapshotModels, type SnapshotDataSource } from '../../events/snapshot-memory/index.js';
import { listUsersAfter } from './users.repository.js';
import {
  toSpectatedUser,
  toPlaceholderUser,
  toWireUser,
  type UserRecord,
  type UserView,
  type WireUser,
} from './wire-user.js';

/** JSON lists of the users of a realm. Viewers who see the same email addresses of other users share the lists. */
export interface UserLists {
  readonly active: IndexedJsonRows;
  readonly inactive: IndexedJsonRows;
  readonly systemBots: IndexedJsonRows;
}

/**
 * Number of accounts that are read before the event loop may run other work. Reading these accounts and serializing
 * their JSON takes about 5 ms.
 */
const ACCOUNTS_PER_EVENT_LOOP_TURN = 250;

/**
 * Returns the least privileged role whose users see the same email addresses as the viewer. User lists depend on no
 * other property of the viewer, because they do not contain the viewer's own account.
 */
function findLowestRoleWithSameAddresses(viewer: { readonly role: number }): number {
  if (isAdmin(viewer)) return roleNumbers.administrator;
  if (viewer.role <= roleNumbers.moderator) return roleNumbers.moderator;
  return isGuest(viewer) ? roleNumbers.guest : roleNumbers.member;
}

function createUserListKey(
  name: string,
  actor: ChatActor,
  { clientGravatar, customFields }: Omit<UserView, 'viewer'>,
): string {
  const sight = isSpectator(actor) ? 'spectator' : String(findLowestRoleWithSameAddresses(actor));
  return JSON.stringify([name, actor.realmId, sight, actor.fakeEmailDomain, clientGravatar, customFields]);
}

type UserListView = Omit<UserView, 'viewer'>;

/** Returns a viewer that belongs to no account and sees the same email addresses of other users as the actor. */
export function createViewerWithSameAddresses(actor: ChatActor): EmailViewer {
  return { id: -1, role: findLowestRoleWithSameAddresses(actor), fakeEmailDomain: actor.fakeEmailDomain };
}

/**
 * Returns a function that converts accounts of other users to the JSON form of the API. The result is valid for all
 * viewers who see the same email addresses as the actor.
 */
function createUserFormatter(actor: ChatActor, view: UserListView): (user: UserRecord) => WireUser {
  if (isSpectator(actor)) return (user) => toSpectatedUser(user, actor);
  const viewer = createViewerWithSameAddresses(actor);
  return (user) => toWireUser(user, { ...view, viewer });
}

/**
 * Reads the accounts of a realm in batches. Returns one JSON list per given condition, with the accounts that meet the
 * condition.
 */
async function readUserLists<N extends string>(
  tx: SqlReader,
  actor: ChatActor,
  view: UserListView,
  conditions: Readonly<Record<N, (user: UserRecord) => boolean>>,
): Promise<Readonly<Record<N, IndexedJsonRows>>> {
  const wire = createUserFormatter(actor, view);
  const lists = (Object.keys(conditions) as N[]).map((name) => ({ name, rows: new JsonRowsBuilder() }));
  for (
    let slice: UserRecord[] = [], after = 0;
    after === 0 || slice.length === ACCOUNTS_PER_EVENT_LOOP_TURN;
    after = slice.at(-1)?.id ?? 0
  ) {
    slice = await listUsersAfter(tx, actor.realmId, {
      after,
      limit: ACCOUNTS_PER_EVENT_LOOP_TURN,
      customFields: view.customFields,
    });
    for (const { name, rows } of lists) {
      rows.add(slice.filter(conditions[name]).map((user) => ({ id: user.id, json: JSON.stringify(wire(user)) })));
    }
    await nextTurn();
    if (slice.length === 0) break;
  }
  return Object.fromEntries(lists.map(({ name, rows }) => [name, rows.build()])) as Record<N, IndexedJsonRows>;
}

function listWatchedModels({ customFields }: UserListView): number[] {
  return customFields ? [snapshotModels.users, snapshotModels.profileValues] : [snapshotModels.users];
}

/** Returns the query with which the cache of snapshot data reads the user lists for POST /register. */
export function userListsDataSource(actor: ChatActor, view: UserListView): SnapshotDataSource<UserLists> {
  return {
    key: createUserListKey('user lists', actor, view),
    models: listWatchedModels(view),
    async read(tx) {
      const value = await readUserLists(tx, actor, view, {
        active: (user) => !user.isSystemBot && user.isActive,
        inactive: (user) => !user.isSystemBot && !user.isActive,
        systemBots: (user) => user.isSystemBot,
      });
      const byteLength = value.active.byteLength + value.inactive.byteLength + value.systemBots.byteLength;
      return { value, byteLength };
    },
  };
}

/**
 * Returns the function description with which the cache of snapshot data computes placeholders for accounts that are
 * hidden from guests. There is one placeholder per account.
 */
export function placeholdersDataSource(actor: ChatActor, lists: UserLists): DerivedDataSource<IndexedJsonRows> {
  return {
    key: JSON.stringify(['stand-ins', actor.realmId]),
    inputs: [lists, actor.fakeEmailDomain],
    async make() {
      const rows = new JsonRowsBuilder();
      const ids = [...lists.active.ids, ...lists.inactive.ids].toSorted((a, b) => a - b);
      for (let at = 0; at < ids.length; at += ACCOUNTS_PER_EVENT_LOOP_TURN) {
        const slice = ids.slice(at, at + ACCOUNTS_PER_EVENT_LOOP_TURN);
        rows.add(slice.map((id) => ({ id, json: JSON.stringify(toPlaceholderUser({ id }, actor)) })));
        await nextTurn();
      }
      const value = rows.build();
      return { value, byteLength: value.byteLength };
    },
  };
}

/** Returns the query with which the cache of snapshot data reads the users for GET /users. */
export function userListDataSource(actor: ChatActor, view: UserListView): SnapshotDataSource<IndexedJsonRows> {
  return {
    key: createUserListKey('members', actor, view),
    models: listWatchedModels(view),
    async read(tx) {
      const { members: value } = await readUserLists(tx, actor, view, { members: (user) => !user.isSystemBot });
      return { value, byteLength: value.byteLength };
    },
  };
}
