import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ChatActor, isOwnerOrAdministrator, isGuest, userRoleNumbers } from '../../infra/http/chat-actor.js';
import type { EmailViewer } from '../access/email-visibility.js';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import { isSpectator } from '../access/spectator-actor.js';
import { type IndexedJsonRows, JsonRowsBuilder } from '../../infra/http/indexed-json-rows.js';
import {
  type DerivedDataSource,
  snapshotDataModelNumbers,
  type SnapshotDataSource,
} from '../../events/snapshot-memory/index.js';
import { listUsersAfter } from './users.repository.js';
import {
  toWireUserForSpectator,
  toPlaceholderUser,
  toWireUser,
  type UserRecord,
  type UserViewOptions,
  type WireUser,
} from './wire-user.js';

/** JSON lists of the users of a realm. Viewers who see the same email addresses of other users share the lists. */
export interface CachedUserListsJson {
  readonly active: IndexedJsonRows;
  readonly inactive: IndexedJsonRows;
  readonly systemBots: IndexedJsonRows;
}

/**
 * Number of accounts that are read before the event loop may run other work. Reading these accounts and serializing
 * their JSON takes about 5 ms.
 */
const ACCOUNTS_READ_BETWEEN_PAUSES = 250;

/**
 * Returns the least privileged role whose users see the same email addresses as the viewer. User lists depend on no
 * other property of the viewer, because they do not contain the viewer's own account.
 */
function findLowestRoleWithSameAddresses(viewer: { readonly role: number }): number {
  if (isOwnerOrAdministrator(viewer)) return userRoleNumbers.administrator;
  if (viewer.role <= userRoleNumbers.moderator) return userRoleNumbers.moderator;
  return isGuest(viewer) ? userRoleNumbers.guest : userRoleNumbers.member;
}

function createUserListKey(
  name: string,
  actor: ChatActor,
  { clientGravatar, customFields }: Omit<UserViewOptions, 'viewer'>,
): string {
  const sight = isSpectator(actor) ? 'spectator' : String(findLowestRoleWithSameAddresses(actor));
  return JSON.stringify([name, actor.realmId, sight, actor.fakeEmailDomain, clientGravatar, customFields]);
}

type UserListFormatOptions = Omit<UserViewOptions, 'viewer'>;

/** Returns a viewer that belongs to no account and sees the same email addresses of other users as the actor. */
export function createViewerWithSameAddresses(actor: ChatActor): EmailViewer {
  return { id: -1, role: findLowestRoleWithSameAddresses(actor), fakeEmailDomain: actor.fakeEmailDomain };
}

/**
 * Returns a function that converts accounts of other users to the JSON form of the API. The result is valid for all
 * viewers who see the same email addresses as the actor.
 */
function createUserFormatter(actor: ChatActor, view: UserListFormatOptions): (user: UserRecord) => WireUser {
  if (isSpectator(actor)) return (user) => toWireUserForSpectator(user, actor);
  const viewer = createViewerWithSameAddresses(actor);
  return (user) => toWireUser(user, { ...view, viewer });
}

/**
 * Reads the accounts of a realm in batches. Returns one JSON list per given condition, with the accounts that meet the
 * condition.
 */
async function readUserLists<N extends string>(
  tx: SqlQueryRunner,
  actor: ChatActor,
  view: UserListFormatOptions,
  conditions: Readonly<Record<N, (user: UserRecord) => boolean>>,
): Promise<Readonly<Record<N, IndexedJsonRows>>> {
  const wire = createUserFormatter(actor, view);
  const lists = (Object.keys(conditions) as N[]).map((name) => ({ name, rows: new JsonRowsBuilder() }));
  for (
    let slice: UserRecord[] = [], after = 0;
    after === 0 || slice.length === ACCOUNTS_READ_BETWEEN_PAUSES;
    after = slice.at(-1)?.id ?? 0
  ) {
    slice = await listUsersAfter(tx, actor.realmId, {
      after,
      limit: ACCOUNTS_READ_BETWEEN_PAUSES,
      customFields: view.customFields,
    });
    for (const { name, rows } of lists) {
      rows.appendRows(
        slice.filter(conditions[name]).map((user) => ({ id: user.id, json: JSON.stringify(wire(user)) })),
      );
    }
    await nextTurn();
    if (slice.length === 0) break;
  }
  return Object.fromEntries(lists.map(({ name, rows }) => [name, rows.buildIndexedRows()])) as Record<
    N,
    IndexedJsonRows
  >;
}

function listModelsAffectingUserLists({ customFields }: UserListFormatOptions): number[] {
  return customFields
    ? [snapshotDataModelNumbers.users, snapshotDataModelNumbers.profileValues]
    : [snapshotDataModelNumbers.users];
}

/** Returns the query with which the cache of snapshot data reads the user lists for POST /register. */
export function createRegisterUserListsSource(
  actor: ChatActor,
  view: UserListFormatOptions,
): SnapshotDataSource<CachedUserListsJson> {
  return {
    key: createUserListKey('user lists', actor, view),
    models: listModelsAffectingUserLists(view),
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
 * Returns the computation with which the cache of snapshot data creates placeholders for accounts that are hidden from
 * guests. There is one placeholder per account.
 */
export function createPlaceholderUsersSource(
  actor: ChatActor,
  lists: CachedUserListsJson,
): DerivedDataSource<IndexedJsonRows> {
  return {
    key: JSON.stringify(['stand-ins', actor.realmId]),
    inputs: [lists, actor.fakeEmailDomain],
    async make() {
      const rows = new JsonRowsBuilder();
      const ids = [...lists.active.ids, ...lists.inactive.ids].toSorted((a, b) => a - b);
      for (let at = 0; at < ids.length; at += ACCOUNTS_READ_BETWEEN_PAUSES) {
        const slice = ids.slice(at, at + ACCOUNTS_READ_BETWEEN_PAUSES);
        rows.appendRows(slice.map((id) => ({ id, json: JSON.stringify(toPlaceholderUser({ id }, actor)) })));
        await nextTurn();
      }
      const value = rows.buildIndexedRows();
      return { value, byteLength: value.byteLength };
    },
  };
}

/** Returns the query with which the cache of snapshot data reads the users for GET /users. */
export function createGetUsersListSource(
  actor: ChatActor,
  view: UserListFormatOptions,
): SnapshotDataSource<IndexedJsonRows> {
  return {
    key: createUserListKey('members', actor, view),
    models: listModelsAffectingUserLists(view),
    async read(tx) {
      const { members: value } = await readUserLists(tx, actor, view, { members: (user) => !user.isSystemBot });
      return { value, byteLength: value.byteLength };
    },
  };
}
