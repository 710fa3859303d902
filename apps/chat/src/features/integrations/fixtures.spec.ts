import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { formats } from './formats/index.js';

const folder = join(import.meta.dirname, 'fixtures');

/** A request of a sender. The expected messages are in a text file of the same name. */
interface Fixture {
  readonly headers?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly body: unknown;
}

/** A message in a fixture's text file, which begins with the lines `event: …` and `topic: …`. */
interface ExpectedMessage {
  readonly event: string;
  readonly subject: string;
  readonly content: string;
}

const names = formats.flatMap(({ name }) =>
  readdirSync(join(folder, name)).flatMap((file) => (file.endsWith('.json') ? [`${name}/${file.slice(0, -5)}`] : [])),
);

const read = (name: string, extension: string): string => readFileSync(join(folder, `${name}.${extension}`), 'utf8');
const fixtureOf = (name: string): Fixture => JSON.parse(read(name, 'json')) as Fixture;

function expectedMessages(name: string): ExpectedMessage[] {
  return [...read(name, 'txt').matchAll(/^event: (.*)\ntopic: (.*)\n\n([^]*?)\n(?:\n=====\n\n|$(?![^]))/gm)].map(
    ([, event = '', subject = '', content = '']) => ({ event, subject, content }),
  );
}

let cluster: ChatCluster;
let chat: ChatProcess;
let bot: DemoUser;
/** Responses to the fixtures by name, and the sent messages. Formats are sent concurrently, since they have no order. */
const responses = new Map<string, unknown>();
let messages: readonly Sent[] = [];

interface Sent {
  readonly subject: string;
  readonly content: string;
  readonly client: string;
}

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  bot = await signIn(chat, 'webhook-bot');
  const reader = await signIn(chat, 'iago');
  await Promise.all(formats.map(({ name }) => sendAll(fixturesOf(name))));
  const { body } = await reader.client.get<{ messages: readonly Sent[] }>('/api/v1/messages', {
    query: {
      narrow: JSON.stringify([
        { operator: 'channel', operand: 'Verona' },
        { operator: 'sender', operand: bot.id },
      ]),
      anchor: 'oldest',
      num_before: '0',
      num_after: '1000',
      apply_markdown: 'false',
    },
  });
  ({ messages } = body);
});
afterAll(() => cluster.stop());

const fixturesOf = (format: string): readonly string[] => names.filter((name) => name.startsWith(`${format}/`));

async function sendAll(fixtures: readonly string[]): Promise<void> {
  for (const name of fixtures) {
    const { headers = {}, query = {}, body } = fixtureOf(name);
    const response = await chat.client.post(`/api/v1/external/${name.split('/')[0]}`, {
      query: { api_key: bot.apiKey, stream: 'Verona', ...query },
      headers,
      json: body,
    });
    responses.set(name, response.body);
  }
}

/** Returns a topic as messages show it: cut to 60 characters, with the name of the empty topic. */
function shownTopic(topic: string): string {
  const characters = [...topic];
  if (topic === '(no topic)') return 'general chat';
  return characters.length <= 60 ? topic : `${characters.slice(0, 57).join('')}...`;
}

describe('POST /external/{name}', () => {
  it.each(formats)('sends the expected messages for the fixtures of $name', ({ name, sender }) => {
    const client = `Zulip${sender}Webhook`;
    const sent = messages.filter((message) => message.client === client);
    const expected = fixturesOf(name).flatMap((one) =>
      expectedMessages(one).map(({ subject, content }) => ({ fixture: one, subject: shownTopic(subject), content })),
    );
    const shown = sent.map(({ subject, content }, index) => ({ fixture: expected[index]?.fixture, subject, content }));
    expect(shown).toEqual(expected);
    for (const one of fixturesOf(name)) expect(responses.get(one), one).toEqual({ result: 'success', msg: '' });
  });
});

describe('fixtures of integrations', () => {
  it.each(formats.map(({ name }) => name))('cover each event of %s', (name) => {
    const format = formats.find((one) => one.name === name)!;
    const shown = names.filter((one) => one.startsWith(`${name}/`)).flatMap((one) => expectedMessages(one));
    expect([...new Set(shown.map(({ event }) => event))].toSorted()).toEqual([...format.topics.keys()].toSorted());
  });

  it.each(formats.map(({ name }) => name))('have a text file for each request of %s', (name) => {
    const files = readdirSync(join(folder, name));
    const without = (extension: string) =>
      files.filter((file) => file.endsWith(extension)).map((file) => file.slice(0, -extension.length));
    expect(without('.json').toSorted()).toEqual(without('.txt').toSorted());
  });
});
