import type { RacePair } from '../../race-pair.js';
import type { ChatWorld } from '../race-test-chat-data.js';

type ChatRacePair = RacePair<ChatWorld>;

const nobodyGroup = { direct_members: [], direct_subgroups: [] };

/** Checks that exactly one of the two concurrent writes was accepted. Returns a problem otherwise. */
function requireOneAccepted(responses: readonly { readonly status: number }[]): string[] {
  const accepted = responses.filter(({ status }) => status === 200).length;
  return accepted === 1 ? [] : [`${accepted} writes were accepted instead of one`];
}

const channelRaces: readonly ChatRacePair[] = [
  {
    slice: 'subscriptions',
    title: 'a user subscribes to a channel and is removed from it',
    async arrange(world) {
      const { name } = await world.sharedChannel(['iago']);
      return {
        writes: [
          () => world.write('hamlet', 'post', 'users/me/subscriptions', { subscriptions: [{ name }] }),
          () =>
            world.write('iago', 'delete', 'users/me/subscriptions', {
              subscriptions: [name],
              principals: [world.id('hamlet')],
            }),
        ],
      };
    },
  },
  {
    slice: 'subscriptions',
    title: 'two users subscribe to two channels in opposite order',
    async arrange(world) {
      const channels = [await world.sharedChannel(['iago'], 2), await world.sharedChannel(['iago'], 3)];
      const names = channels.map(({ name }) => ({ name }));
      const subscribe = (person: 'hamlet' | 'cordelia', subscriptions: readonly object[]) => () =>
        world.write(person, 'post', 'users/me/subscriptions', { subscriptions });
      return { writes: [subscribe('hamlet', names), subscribe('cordelia', names.toReversed())] };
    },
  },
  {
    slice: 'subscriptions',
    title: 'a user subscribes to a channel that is archived',
    deletes: true,
    async arrange(world) {
      const { id, name } = await world.newChannel(['iago']);
      return {
        writes: [
          () => world.write('hamlet', 'post', 'users/me/subscriptions', { subscriptions: [{ name }] }),
          () => world.write('iago', 'delete', `streams/${id}`),
        ],
      };
    },
  },
  {
    slice: 'channels',
    title: 'two channels are given one name',
    async arrange(world) {
      const [one, other] = [await world.sharedChannel(['iago'], 4), await world.sharedChannel(['iago'], 5)];
      const name = world.newName('renamed');
      const rename = (id: number) => () => world.write('iago', 'patch', `streams/${id}`, { new_name: name });
      return { writes: [rename(one.id), rename(other.id)], check: async (responses) => requireOneAccepted(responses) };
    },
  },
  {
    slice: 'channels',
    title: 'two channels of one name are created',
    async arrange(world) {
      const name = world.newName('twice');
      const create = (person: 'iago' | 'hamlet') => () =>
        world.write(person, 'post', 'channels/create', { name, subscribers: [world.id(person)] });
      return { writes: [create('iago'), create('hamlet')], check: async (responses) => requireOneAccepted(responses) };
    },
  },
  {
    slice: 'channels',
    title: 'a channel is made private that is archived',
    deletes: true,
    async arrange(world) {
      const { id } = await world.newChannel(['iago', 'hamlet']);
      return {
        writes: [
          () => world.write('iago', 'patch', `streams/${id}`, { is_private: true }),
          () => world.write('desdemona', 'delete', `streams/${id}`),
        ],
      };
    },
  },
  {
    slice: 'channel folders',
    title: 'a channel is put into a folder that is archived',
    deletes: true,
    async arrange(world) {
      const { id } = await world.sharedChannel(['iago', 'hamlet']);
      const form = { name: world.newName('folder'), description: '' };
      const { channel_folder_id: folder } = await world.create('iago', 'post', 'channel_folders/create', form);
      return {
        writes: [
          () => world.write('iago', 'patch', `streams/${id}`, { folder_id: folder }),
          () => world.write('desdemona', 'patch', `channel_folders/${String(folder)}`, { is_archived: true }),
        ],
      };
    },
  },
];

async function newGroup(world: ChatWorld): Promise<number> {
  const form = { name: world.newName('group'), description: '', members: [world.id('iago')] };
  return Number((await world.create('iago', 'post', 'user_groups/create', form))['group_id']);
}

const groupRaces: readonly ChatRacePair[] = [
  {
    slice: 'user groups',
    title: 'a member is added and removed',
    async arrange(world) {
      const group = await newGroup(world);
      const change = (op: 'add' | 'delete', person: 'iago' | 'desdemona') => () =>
        world.write(person, 'post', `user_groups/${group}/members`, { [op]: [world.id('hamlet')] });
      return { writes: [change('add', 'iago'), change('delete', 'desdemona')] };
    },
  },
  {
    slice: 'user groups',
    title: 'two groups become subgroups of each other',
    async arrange(world) {
      const [one, other] = [await newGroup(world), await newGroup(world)];
      const add = (group: number, subgroup: number) => () =>
        world.write('iago', 'post', `user_groups/${group}/subgroups`, { add: [subgroup] });
      return { writes: [add(one, other), add(other, one)], check: async (responses) => requireOneAccepted(responses) };
    },
  },
  {
    slice: 'user groups',
    title: 'a group is deactivated that becomes the setting of a channel',
    deletes: true,
    async arrange(world) {
      const group = await newGroup(world);
      const { id } = await world.sharedChannel(['iago'], 6);
      return {
        writes: [
          () => world.write('desdemona', 'post', `user_groups/${group}/deactivate`),
          () => world.write('iago', 'patch', `streams/${id}`, { can_send_message_group: { new: group } }),
        ],
        check: async (responses) => requireOneAccepted(responses),
      };
    },
  },
  {
    slice: 'user groups',
    title: 'two nameless groups replace the setting of a channel',
    async arrange(world) {
      const { id } = await world.sharedChannel(['iago'], 6);
      const set = (person: 'hamlet' | 'cordelia') => () =>
        world.write('iago', 'patch', `streams/${id}`, {
          can_subscribe_group: { new: { ...nobodyGroup, direct_members: [world.id(person)] } },
        });
      return { writes: [set('hamlet'), set('cordelia')] };
    },
  },
];

/** Pairs of concurrent writes to channels, subscriptions and groups, with their allowed results. */
export const channelPairs: readonly ChatRacePair[] = [...channelRaces, ...groupRaces];
