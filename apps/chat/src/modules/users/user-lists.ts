import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ChatActor, isAdmin, isGuest, role } from '../../access/actor.js';
import type { SqlReader } from '../../access/sql-reader.js';
import { isSpectator } from '../../access/spectator.js';
import { JsonRows } from '../../http/spliced-json.js';
import { model, type PartSource } from '../../snapshot-memory/index.js';
import { listUsersAfter } from './users.repository.js';
import { toSpectatedUser, toWireUser, type UserRecord, type UserView, type WireUser } from './wire-user.js';

/** Accounts of a realm as the viewers of one sight see those of others. */
export interface UserLists {
  readonly active: JsonRows;
  readonly inactive: JsonRows;
  readonly systemBots: JsonRows;
}

/** Accounts of one slice: their JSON takes some 10 ms, in which nothing else runs. */
const SLICE = 1_000;

/** The least privileged role that sees the same addresses: all that a list depends on, with the own account left out. */
function roleOfSight(viewer: { readonly role: number }): number {
  if (isAdmin(viewer)) return role.administrator;
  if (viewer.role <= role.moderator) return role.moderator;
  return isGuest(viewer) ? role.guest : role.member;
}

function keyOf(name: string, actor: ChatActor, { clientGravatar, customFields }: Omit<UserView, 'viewer'>): string {
  const sight = isSpectator(actor) ? 'spectator' : String(roleOfSight(actor));
  return JSON.stringify([name, actor.realmId, sight, actor.fakeEmailDomain, clientGravatar, customFields]);
}

type View = Omit<UserView, 'viewer'>;

/** The account as all viewers of the actor's sight see it who are not its owner. */
function sightOf(actor: ChatActor, view: View): (user: UserRecord) => WireUser {
  if (isSpectator(actor)) return (user) => toSpectatedUser(user, actor);
  const viewer = { id: -1, role: roleOfSight(actor), fakeEmailDomain: actor.fakeEmailDomain };
  return (user) => toWireUser(user, { ...view, viewer });
}

interface SeenUser {
  readonly id: number;
  readonly json: string;
  readonly user: UserRecord;
}

async function readSeen(tx: SqlReader, actor: ChatActor, view: View): Promise<SeenUser[]> {
  const wire = sightOf(actor, view);
  const seen: SeenUser[] = [];
  for (let slice: UserRecord[] = [], after = 0; after === 0 || slice.length === SLICE; after = slice.at(-1)?.id ?? 0) {
    slice = await listUsersAfter(tx, actor.realmId, { after, limit: SLICE, customFields: view.customFields });
    for (const user of slice) seen.push({ id: user.id, json: JSON.stringify(wire(user)), user });
    await nextTurn();
    if (slice.length === 0) break;
  }
  return seen;
}

function modelsOf({ customFields }: View): number[] {
  return customFields ? [model.users, model.profileValues] : [model.users];
}

/** The accounts of a registration, in the lists that it has. */
export function userListsSource(actor: ChatActor, view: View): PartSource<UserLists> {
  return {
    key: keyOf('user lists', actor, view),
    models: modelsOf(view),
    async read(tx) {
      const seen = await readSeen(tx, actor, view);
      const list = (wanted: (user: UserRecord) => boolean) => JsonRows.from(seen.filter(({ user }) => wanted(user)));
      const value = {
        active: list((user) => !user.isSystemBot && user.isActive),
        inactive: list((user) => !user.isSystemBot && !user.isActive),
        systemBots: list((user) => user.isSystemBot),
      };
      const byteLength = value.active.byteLength + value.inactive.byteLength + value.systemBots.byteLength;
      return { value, byteLength };
    },
  };
}

/** The people and bots of GET /users. */
export function membersSource(actor: ChatActor, view: View): PartSource<JsonRows> {
  return {
    key: keyOf('members', actor, view),
    models: modelsOf(view),
    async read(tx) {
      const value = JsonRows.from((await readSeen(tx, actor, view)).filter(({ user }) => !user.isSystemBot));
      return { value, byteLength: value.byteLength };
    },
  };
}
