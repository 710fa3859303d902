import type { RacePair } from '../../race-pair.js';
import type { ChatWorld } from '../race-test-chat-data.js';

type ChatRacePair = RacePair<ChatWorld>;

const draft = { type: '', to: [], topic: '', content: 'begun' };

const ownSettingRaces: readonly ChatRacePair[] = [
  {
    slice: 'drafts',
    title: 'a draft is deleted that is edited',
    deletes: true,
    async arrange(world) {
      const { ids } = await world.create('hamlet', 'post', 'drafts', { drafts: [draft] });
      const id = Array.isArray(ids) ? Number(ids[0]) : 0;
      return {
        writes: [
          () => world.write('hamlet', 'delete', `drafts/${id}`),
          () => world.write('hamlet', 'patch', `drafts/${id}`, { draft: { ...draft, content: 'further' } }),
        ],
      };
    },
  },
  {
    slice: 'saved snippets',
    title: 'a snippet is deleted that is edited',
    deletes: true,
    async arrange(world) {
      const form = { title: world.newName('snippet'), content: 'text' };
      const { saved_snippet_id: id } = await world.create('hamlet', 'post', 'saved_snippets', form);
      return {
        writes: [
          () => world.write('hamlet', 'delete', `saved_snippets/${String(id)}`),
          () => world.write('hamlet', 'patch', `saved_snippets/${String(id)}`, { content: 'other' }),
        ],
      };
    },
  },
  {
    slice: 'navigation views',
    title: 'a view is removed that is changed',
    deletes: true,
    async arrange(world) {
      const fragment = world.newName('view').replaceAll(' ', '');
      await world.create('hamlet', 'post', 'navigation_views', { fragment, is_pinned: true, name: fragment });
      return {
        writes: [
          () => world.write('hamlet', 'delete', `navigation_views/${fragment}`),
          () => world.write('hamlet', 'patch', `navigation_views/${fragment}`, { is_pinned: false }),
        ],
      };
    },
  },
  {
    slice: 'alert words',
    title: 'a word is added and removed',
    async arrange(world) {
      const change = (method: 'post' | 'delete') => () =>
        world.write('hamlet', method, 'users/me/alert_words', { alert_words: ['word'] });
      return { writes: [change('post'), change('delete')] };
    },
  },
  {
    slice: 'muted users',
    title: 'a user is muted and unmuted',
    async arrange(world) {
      const change = (method: 'post' | 'delete') => () =>
        world.write('hamlet', method, `users/me/muted_users/${world.id('cordelia')}`);
      return { writes: [change('post'), change('delete')] };
    },
  },
  {
    slice: 'user status',
    title: 'a status is set twice',
    async arrange(world, random) {
      const set = (text: string) => () => world.write('hamlet', 'post', 'users/me/status', { status_text: text });
      return { writes: [set(`one ${random.integer(0, 99)}`), set(`other ${random.integer(0, 99)}`)] };
    },
  },
  {
    slice: 'settings',
    title: 'a user changes two settings',
    async arrange(world, random) {
      const set = (fields: Record<string, unknown>) => () => world.write('hamlet', 'patch', 'settings', fields);
      return {
        writes: [set({ color_scheme: random.integer(1, 3) }), set({ enter_sends: random.chance(0.5) })],
      };
    },
  },
];

const organizationRaces: readonly ChatRacePair[] = [
  {
    slice: 'profile fields',
    title: 'a field is deleted that is filled in',
    deletes: true,
    async arrange(world) {
      const form = { name: world.newName('field'), hint: '', field_type: 1 };
      const { id } = await world.create('iago', 'post', 'realm/profile_fields', form);
      return {
        writes: [
          () => world.write('iago', 'delete', `realm/profile_fields/${String(id)}`),
          () => world.write('hamlet', 'patch', 'users/me/profile_data', { data: [{ id, value: 'text' }] }),
        ],
      };
    },
  },
  {
    slice: 'linkifiers',
    title: 'a linkifier is deleted that is changed',
    deletes: true,
    async arrange(world) {
      const pattern = world.newName('link').replaceAll(' ', '');
      const form = { pattern: `${pattern}-(?P<n>[0-9]+)`, url_template: 'https://x.test/{n}' };
      const { id } = await world.create('iago', 'post', 'realm/filters', form);
      return {
        writes: [
          () => world.write('iago', 'delete', `realm/filters/${String(id)}`),
          () =>
            world.write('desdemona', 'patch', `realm/filters/${String(id)}`, {
              ...form,
              url_template: 'https://y.test/{n}',
            }),
        ],
      };
    },
  },
  {
    slice: 'organization domains',
    title: 'a domain is removed that is changed',
    deletes: true,
    async arrange(world) {
      const domain = `${world.newName('domain').replaceAll(' ', '')}.test`;
      await world.create('desdemona', 'post', 'realm/domains', { domain, allow_subdomains: true });
      return {
        writes: [
          () => world.write('desdemona', 'delete', `realm/domains/${domain}`),
          () => world.write('desdemona', 'patch', `realm/domains/${domain}`, { allow_subdomains: false }),
        ],
      };
    },
  },
  {
    slice: 'organization settings',
    title: 'an organization changes two settings',
    async arrange(world) {
      const set = (person: 'iago' | 'desdemona', fields: Record<string, unknown>) => () =>
        world.write(person, 'patch', 'realm', fields);
      return {
        writes: [
          set('iago', { description: world.newName('about') }),
          set('desdemona', { name: world.newName('name') }),
        ],
      };
    },
  },
];

/** Pairs of concurrent writes to settings of users and of the organization, with their allowed results. */
export const settingsPairs: readonly ChatRacePair[] = [...ownSettingRaces, ...organizationRaces];
