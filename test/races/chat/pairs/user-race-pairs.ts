import type { RacePair } from '../../race-pair.js';
import type { ChatWorld } from '../race-test-chat-data.js';

type ChatRacePair = RacePair<ChatWorld>;

/** Reactivates a user whom an earlier round of the race deactivated. Returns the id of the user. */
async function reactivateUser(world: ChatWorld): Promise<number> {
  const id = world.id('othello');
  await world.write('iago', 'post', `users/${id}/reactivate`);
  return id;
}

const deactivateUser = (world: ChatWorld, id: number) => () => world.write('desdemona', 'delete', `users/${id}`);

const accountRaces: readonly ChatRacePair[] = [
  {
    slice: 'accounts',
    title: 'the role of a user changes twice',
    async arrange(world) {
      const id = await reactivateUser(world);
      const change = (person: 'iago' | 'desdemona', role: number) => () =>
        world.write(person, 'patch', `users/${id}`, { role });
      return { writes: [change('iago', 300), change('desdemona', 400)] };
    },
  },
  {
    slice: 'accounts',
    title: 'a user is deactivated and sends a message',
    deletes: true,
    async arrange(world) {
      const id = await reactivateUser(world);
      const channel = await world.sharedChannel(['iago', 'hamlet']);
      return {
        writes: [
          deactivateUser(world, id),
          () =>
            world.write('othello', 'post', 'messages', {
              type: 'channel',
              to: channel.id,
              topic: 'race',
              content: 'farewell',
            }),
        ],
      };
    },
  },
  {
    slice: 'accounts',
    title: 'a user is deactivated and subscribes to a channel',
    deletes: true,
    async arrange(world) {
      const id = await reactivateUser(world);
      const { name } = await world.sharedChannel(['iago']);
      return {
        writes: [
          deactivateUser(world, id),
          () => world.write('iago', 'post', 'users/me/subscriptions', { subscriptions: [{ name }], principals: [id] }),
        ],
      };
    },
  },
  {
    slice: 'accounts',
    title: 'a user is deactivated and added to a group',
    deletes: true,
    async arrange(world) {
      const id = await reactivateUser(world);
      const form = { name: world.newName('group'), description: '', members: [] };
      const { group_id: group } = await world.create('iago', 'post', 'user_groups/create', form);
      return {
        writes: [
          deactivateUser(world, id),
          () => world.write('iago', 'post', `user_groups/${String(group)}/members`, { add: [id] }),
        ],
      };
    },
  },
  {
    slice: 'accounts',
    title: 'a user is deactivated and creates a bot',
    deletes: true,
    async arrange(world) {
      const id = await reactivateUser(world);
      const name = world.newName('bot');
      return {
        writes: [
          deactivateUser(world, id),
          () => world.write('othello', 'post', 'bots', { full_name: name, short_name: name.replaceAll(' ', '-') }),
        ],
      };
    },
  },
  {
    slice: 'accounts',
    title: 'a user is deactivated and reactivated',
    async arrange(world) {
      const id = await reactivateUser(world);
      return {
        writes: [deactivateUser(world, id), () => world.write('iago', 'post', `users/${id}/reactivate`)],
      };
    },
  },
];

async function newBot(world: ChatWorld): Promise<number> {
  const name = world.newName('bot');
  const form = { full_name: name, short_name: name.replaceAll(' ', '-') };
  return Number((await world.create('hamlet', 'post', 'bots', form))['user_id']);
}

const botRaces: readonly ChatRacePair[] = [
  {
    slice: 'bots',
    title: 'a bot is deactivated that subscribes to a channel',
    deletes: true,
    async arrange(world) {
      const bot = await newBot(world);
      const { name } = await world.sharedChannel(['iago']);
      return {
        writes: [
          () => world.write('hamlet', 'delete', `bots/${bot}`),
          () => world.write('iago', 'post', 'users/me/subscriptions', { subscriptions: [{ name }], principals: [bot] }),
        ],
      };
    },
  },
  {
    slice: 'bots',
    title: 'the owner and the name of a bot change',
    async arrange(world) {
      const bot = await newBot(world);
      return {
        writes: [
          () => world.write('hamlet', 'patch', `bots/${bot}`, { full_name: world.newName('Robot') }),
          () => world.write('iago', 'patch', `bots/${bot}`, { bot_owner_id: world.id('cordelia') }),
        ],
      };
    },
  },
  {
    slice: 'invitations',
    title: 'one address is invited twice',
    async arrange(world) {
      const address = `${world.newName('guest').replaceAll(' ', '')}@example.com`;
      const invite = (person: 'iago' | 'desdemona') => () =>
        world.write(person, 'post', 'invites', { invitee_emails: address, stream_ids: [] });
      return { writes: [invite('iago'), invite('desdemona')] };
    },
  },
  {
    slice: 'invitations',
    title: 'an invitation is revoked that is sent again',
    deletes: true,
    async arrange(world) {
      const address = `${world.newName('guest').replaceAll(' ', '')}@example.com`;
      await world.create('iago', 'post', 'invites', { invitee_emails: address, stream_ids: [] });
      const [row] = await world.rows<{ id: number }>('SELECT id FROM invitations WHERE email = $1', [address]);
      return {
        writes: [
          () => world.write('iago', 'delete', `invites/${row?.id}`),
          () => world.write('desdemona', 'post', `invites/${row?.id}/resend`),
        ],
      };
    },
  },
];

/** Pairs of concurrent writes to accounts, bots and invitations, with their allowed results. */
export const accountPairs: readonly ChatRacePair[] = [...accountRaces, ...botRaces];
