import type { ChatUser } from '../chat/chat-user.js';
import type { RequestOutcome } from '../http.js';
import type { Random } from '../random.js';

/** Realm of the test with the users, channels, groups and bots that the random changes affect. */
export interface Realm {
  /** Administrators of the realm who send the changes. */
  readonly writers: readonly ChatUser[];
  /** Ids of users whom the changes subscribe and unsubscribe. The roles of these users do not change. */
  readonly members: readonly number[];
  /** Ids of users whose roles and account states are changed. */
  readonly movers: readonly number[];
  readonly channels: readonly number[];
  /** Ids of user groups that the changes may use. Newly created groups are added to the list. */
  readonly groups: number[];
  /** Ids of bots that the changes may use. Newly created bots are added to the list. */
  readonly bots: number[];
}

/**
 * Maximum number of groups, and of bots, that the changes create. The limit is needed because snapshots contain all
 * groups and bots.
 */
const maxCreated = 60;

/**
 * Function that sends one random change to the chat service. The service may reject the change, because other writers
 * change the same objects.
 */
export type Change = (realm: Realm, random: Random) => Promise<RequestOutcome>;

const word = (random: Random): string => random.integer(0, 0xffff_ffff).toString(36);
const writer = ({ writers }: Realm, random: Random): ChatUser => random.pick(writers);
const randomSome = (ids: readonly number[], random: Random): string => JSON.stringify([random.pick(ids)]);

const userChanges: Change[] = [
  (realm, random) =>
    writer(realm, random).call('PATCH', `users/${random.pick(realm.members)}`, { full_name: `Name ${word(random)}` }),
  (realm, random) =>
    writer(realm, random).call('PATCH', `users/${random.pick(realm.movers)}`, {
      role: String(random.pick([200, 300, 400, 600])),
    }),
  (realm, random) => writer(realm, random).call('DELETE', `users/${random.pick(realm.movers)}`, {}),
  (realm, random) => writer(realm, random).call('POST', `users/${random.pick(realm.movers)}/reactivate`, {}),
];

const subscriptionForm = (names: readonly string[], realm: Realm, random: Random) => ({
  name: random.pick(names),
  principals: randomSome([...realm.members, ...realm.movers], random),
});

/** Channel names of the demo realm. If a channel was renamed, the changes create a channel with the old name again. */
const channelNames = ['Verona', 'Denmark', 'Scotland', 'Rome', 'core team'];

const subscriptions: Change[] = [
  (realm, random) => {
    const { name, principals } = subscriptionForm(channelNames, realm, random);
    return writer(realm, random).call('POST', 'users/me/subscriptions', {
      subscriptions: JSON.stringify([{ name }]),
      principals,
    });
  },
  (realm, random) => {
    const { name, principals } = subscriptionForm(channelNames, realm, random);
    return writer(realm, random).call('DELETE', 'users/me/subscriptions', {
      subscriptions: JSON.stringify([name]),
      principals,
    });
  },
  (realm, random) =>
    writer(realm, random).call('PATCH', `users/me/subscriptions/${random.pick(realm.channels)}`, {
      property: 'is_muted',
      value: String(random.chance(0.5)),
    }),
];

const channelForm = (random: Random): Record<string, string> =>
  random.pick([
    { description: `About ${word(random)}` },
    { is_private: String(random.chance(0.5)) },
    { is_archived: 'false' },
    { topics_policy: JSON.stringify(random.pick(['inherit', 'allow_empty_topic'])) },
  ]);

const channelChanges: Change[] = [
  (realm, random) => writer(realm, random).call('PATCH', `streams/${random.pick(realm.channels)}`, channelForm(random)),
  (realm, random) => {
    // Channels of the demo realm are not renamed, because users are subscribed by channel name.
    const id = random.pick(realm.channels.slice(channelNames.length));
    return writer(realm, random).call('PATCH', `streams/${id}`, { new_name: `channel ${word(random)}` });
  },
  (realm, random) => writer(realm, random).call('DELETE', `streams/${random.pick(realm.channels)}`, {}),
  (realm, random) =>
    writer(realm, random).call('POST', 'default_streams', { stream_id: String(random.pick(realm.channels)) }),
  (realm, random) =>
    writer(realm, random).call('DELETE', 'default_streams', { stream_id: String(random.pick(realm.channels)) }),
];

const makeGroup: Change = (realm, random) =>
  writer(realm, random).call('POST', 'user_groups/create', {
    name: `group ${word(random)}`,
    description: 'made',
    members: randomSome(realm.members, random),
  });

const describeGroup: Change = (realm, random) =>
  writer(realm, random).call('PATCH', `user_groups/${random.pick(realm.groups)}`, {
    description: `About ${word(random)}`,
  });

const groupChanges: Change[] = [
  (realm, random) => (realm.groups.length < maxCreated ? makeGroup : describeGroup)(realm, random),
  describeGroup,
  (realm, random) =>
    writer(realm, random).call('POST', `user_groups/${random.pick(realm.groups)}/members`, {
      [random.pick(['add', 'delete'])]: randomSome([...realm.members, ...realm.movers], random),
    }),
  (realm, random) =>
    writer(realm, random).call('POST', `user_groups/${random.pick(realm.groups)}/subgroups`, {
      [random.pick(['add', 'delete'])]: randomSome(realm.groups, random),
    }),
  (realm, random) => writer(realm, random).call('POST', `user_groups/${random.pick(realm.groups)}/deactivate`, {}),
  (realm, random) =>
    writer(realm, random).call('PATCH', `user_groups/${random.pick(realm.groups)}`, { deactivated: 'false' }),
];

const makeBot: Change = (realm, random) =>
  writer(realm, random).call('POST', 'bots', { full_name: `Bot ${word(random)}`, short_name: `bot-${word(random)}` });

const renameBot: Change = (realm, random) =>
  writer(realm, random).call('PATCH', `bots/${random.pick(realm.bots)}`, { full_name: `Bot ${word(random)}` });

const botIds: Change[] = [
  (realm, random) => (realm.bots.length < maxCreated ? makeBot : renameBot)(realm, random),
  renameBot,
  (realm, random) =>
    writer(realm, random).call('PATCH', `bots/${random.pick(realm.bots)}`, {
      bot_owner_id: String(random.pick(realm.members)),
    }),
];

const settingChanges: Change[] = [
  (realm, random) => writer(realm, random).call('PATCH', 'realm', { description: `About ${word(random)}` }),
  (realm, random) =>
    writer(realm, random).call('PATCH', 'realm', { name_changes_disabled: String(random.chance(0.5)) }),
];

/** All kinds of random changes. Writers choose from this list. */
export const changes: readonly Change[] = [
  ...userChanges,
  ...subscriptions,
  ...channelChanges,
  ...groupChanges,
  ...botIds,
  ...settingChanges,
];
