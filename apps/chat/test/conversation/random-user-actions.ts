import type { ConversationClient } from './simulated-client.js';

/** Ids of channels that random actions do not delete: the first channels of the demo realm. */
const lastingChannels: readonly number[] = [1, 2, 3, 4];

type Json = Record<string, unknown>;

/** Ids of the objects that earlier random actions have created, by kind of object. */
export interface Made {
  readonly channels: number[];
  readonly messages: number[];
  readonly groups: number[];
  readonly folders: number[];
  readonly bots: number[];
  readonly drafts: number[];
  readonly snippets: number[];
  readonly linkifiers: number[];
  readonly playgrounds: number[];
}

/** Test users, existing objects and a random generator, from which a random action is chosen. */
export interface Stage {
  readonly people: Readonly<Record<string, ConversationClient>>;
  readonly made: Made;
  /** Returns a random number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
}

const topics = ['lunch', 'Lunch', 'plans', 'ghosts', ''];
const names = ['castle', 'Castle', 'moat', 'gate', 'tower'];

/**
 * Returns a function that runs a randomly chosen action, with a random user, random parameters and a random process.
 */
export function nextAct({ people, made, random }: Stage): () => Promise<void> {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const everyone = Object.values(people);
  const who = pick(everyone);
  const iago = people['iago']!;
  const other = pick(everyone);
  const at = Math.floor(random() * 2);
  const channel = pick(made.channels);
  const passing = pick(made.channels.filter((id) => !lastingChannels.includes(id)));
  const [message, second] = [pick(made.messages), pick(made.messages)];
  const topic = pick(topics);
  const flag = random() < 0.5;
  const text = `by chance ${Math.floor(random() * 1e6)}`;
  const mortals = ['othello', 'prospero', 'ZOE'].map((name) => people[name]!.id);

  const ask = (method: 'post' | 'patch' | 'delete', path: string, fields: Json = {}, by = who) =>
    by.request(at, method, path, fields);
  /** Waits for a response and adds the ids in the response's field `field` to a list. */
  const keep = async (list: number[], asked: Promise<Json>, field: string) => {
    const id = (await asked)[field];
    for (const one of [id].flat()) if (typeof one === 'number') list.push(one);
  };
  const send = (to: unknown, type: string, content: string) =>
    keep(made.messages, ask('post', 'messages', { type, to, topic, content }), 'id');
  const policy = Math.floor(random() * 4);
  const op = flag ? 'add' : 'remove';

  const messageActs = [
    () => send(channel, 'channel', text),
    () => send(channel, 'channel', `${text} @**Iago** @**King Hamlet**`),
    () => ask('post', 'messages', { type: 'direct', to: [other.id, pick(everyone).id], content: text }),
    () => ask('patch', `messages/${message}`, { content: `${text} edited` }, flag ? who : iago),
    () => ask('patch', `messages/${message}`, { topic, propagate_mode: pick(['change_one', 'change_all']) }, iago),
    () => ask('patch', `messages/${message}`, { stream_id: channel, propagate_mode: 'change_later' }, iago),
    () => ask('patch', `messages/${message}`, { topic: '✔ lunch', propagate_mode: 'change_all' }),
    () => ask('delete', `messages/${message}`, {}, iago),
    () => ask('post', `messages/${message}/reactions`, { emoji_name: 'smile' }),
    () => ask('delete', `messages/${message}/reactions`, { emoji_name: 'smile' }),
    () => ask('post', 'messages/flags', { messages: [message, second], op, flag: 'read' }),
    () => ask('post', 'messages/flags', { messages: [message, second], op, flag: 'starred' }),
    () => ask('post', 'mark_stream_as_read', { stream_id: channel }),
    () => ask('post', 'mark_topic_as_read', { stream_id: channel, topic_name: topic }),
    () => ask('post', 'user_topics', { stream_id: channel, topic, visibility_policy: policy }),
    () => ask('post', `streams/${channel}/delete_topic`, { topic_name: 'ghosts' }, iago),
    () => ask('post', 'users/me/presence', { status: 'active' }),
    () => ask('post', 'typing', { op: 'start', to: [other.id] }),
  ];
  const channelActs = [
    () => ask('post', 'users/me/subscriptions', { subscriptions: [{ name: pick(names) }] }),
    () =>
      ask('post', 'users/me/subscriptions', { subscriptions: [{ name: pick(names) }], principals: [other.id] }, iago),
    () => ask('delete', 'users/me/subscriptions', { subscriptions: [pick([...names, 'Verona', 'Denmark'])] }),
    () => ask('delete', 'users/me/subscriptions', { subscriptions: [pick(names)], principals: [other.id] }, iago),
    () => ask('patch', `streams/${channel}`, { description: text }, iago),
    () => ask('patch', `streams/${channel}`, { new_name: pick(names) }, iago),
    () => ask('patch', `streams/${channel}`, { is_private: flag }, people['desdemona']),
    () => ask('patch', `streams/${passing}`, { is_archived: false }, iago),
    () => ask('delete', `streams/${passing}`, {}, iago),
    () => ask('post', 'default_streams', { stream_id: channel }, iago),
    () => ask('delete', 'default_streams', { stream_id: channel }, iago),
    () =>
      ask('post', 'users/me/subscriptions/properties', {
        subscription_data: [{ stream_id: channel, property: pick(['is_muted', 'pin_to_top']), value: flag }],
      }),
    () =>
      keep(
        made.folders,
        ask('post', 'channel_folders/create', { name: text, description: '' }, iago),
        'channel_folder_id',
      ),
    () => ask('patch', `channel_folders/${pick(made.folders)}`, { description: `*${text}*` }, iago),
    () => ask('patch', `streams/${channel}`, { folder_id: pick(made.folders) }, iago),
  ];
  const peopleActs = [
    () => ask('delete', `users/${pick(mortals)}`, {}, iago),
    () => ask('post', `users/${pick(mortals)}/reactivate`, {}, iago),
    () => ask('post', `users/${pick(mortals)}/reactivate`, {}, iago),
    () => ask('patch', `users/${pick(mortals)}`, { role: pick([300, 400, 600]) }, iago),
    () => ask('patch', `users/${other.id}`, { full_name: `${other.name} ${text}` }, iago),
    () =>
      keep(
        made.groups,
        ask('post', 'user_groups/create', { name: text, description: '', members: [other.id] }),
        'group_id',
      ),
    () => ask('post', `user_groups/${pick(made.groups)}/members`, { [flag ? 'add' : 'delete']: [other.id] }, iago),
    () => ask('patch', `user_groups/${pick(made.groups)}`, { description: text }, people['desdemona']),
    () =>
      keep(
        made.bots,
        ask('post', 'bots', { full_name: `Bot ${text}`, short_name: text.replaceAll(' ', '') }),
        'user_id',
      ),
    () => ask('patch', `bots/${pick(made.bots)}`, { full_name: `Robot ${text}` }),
    () => ask('delete', `bots/${pick(made.bots)}`, {}, iago),
    () => ask('patch', 'realm', { name: text, message_content_edit_limit_seconds: 3600 }, iago),
    () => ask('patch', 'realm/user_settings_defaults', { enter_sends: flag }, iago),
    () => ask('post', 'realm/domains', { domain: `${pick(names)}.test`, allow_subdomains: flag }, people['desdemona']),
    () => ask('delete', `realm/domains/${pick(names)}.test`, {}, people['desdemona']),
    () =>
      keep(
        made.linkifiers,
        ask(
          'post',
          'realm/filters',
          { pattern: `${pick(names)}-(?P<n>[0-9]+)`, url_template: 'https://x.test/{n}' },
          iago,
        ),
        'id',
      ),
    () => ask('delete', `realm/filters/${pick(made.linkifiers)}`, {}, iago),
    () =>
      keep(
        made.playgrounds,
        ask(
          'post',
          'realm/playgrounds',
          { name: pick(names), pygments_language: 'Rust', url_template: 'https://x.test/{code}' },
          iago,
        ),
        'id',
      ),
    () =>
      ask('post', 'default_stream_groups/create', { group_name: pick(names), description: '', stream_names: [] }, iago),
    () => ask('patch', `default_stream_groups/${pick([1, 2, 3])}`, { new_description: text }, iago),
    () => ask('delete', `default_stream_groups/${pick([1, 2, 3])}`, {}, iago),
    () => ask('delete', `realm/playgrounds/${pick(made.playgrounds)}`, {}, iago),
  ];
  const ownActs = [
    () => ask('patch', 'settings', { color_scheme: 1 + (policy % 3), enter_sends: flag }),
    () => ask('post', 'users/me/status', { status_text: flag ? text : '', away: flag }),
    () => ask('post', 'users/me/onboarding_steps', { onboarding_step: 'intro_inbox_view_modal' }),
    () => ask('post', 'zcommand', { command: flag ? '/dark' : '/light' }),
    () => ask('post', `users/me/muted_users/${other.id}`),
    () => ask('delete', `users/me/muted_users/${other.id}`),
    () => ask(flag ? 'post' : 'delete', 'users/me/alert_words', { alert_words: [pick(names), pick(names)] }),
    () => keep(made.drafts, ask('post', 'drafts', { drafts: [{ type: '', to: [], topic: '', content: text }] }), 'ids'),
    () => ask('delete', `drafts/${pick(made.drafts)}`),
    () => keep(made.snippets, ask('post', 'saved_snippets', { title: text, content: 'x' }), 'saved_snippet_id'),
    () => ask('patch', `saved_snippets/${pick(made.snippets)}`, { title: `${text} anew` }),
    () => ask('delete', `saved_snippets/${pick(made.snippets)}`),
    () => ask('post', 'navigation_views', { fragment: pick(names), is_pinned: flag, name: text }),
    () => ask('delete', `navigation_views/${pick(names)}`),
    () => ask('patch', 'users/me/profile_data', { data: [{ id: 2, value: `*${text}*` }] }),
  ];
  const chosen = pick<() => Promise<unknown>>(pick([messageActs, messageActs, channelActs, peopleActs, ownActs]));
  return async () => void (await chosen());
}
