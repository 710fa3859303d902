import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { webhookFormats } from './formats/index.js';

const folder = join(import.meta.dirname, 'fixtures');

/**
 * A webhook request that another service has sent, stored as an example. A text file of the same name contains the
 * expected messages.
 */
interface Fixture {
  readonly headers?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly body: unknown;
}

/**
 * An expected message in the text file of an example request. Its text begins with the lines `event: …` and `topic: …`.
 */
interface ExpectedMessage {
  readonly event: string;
  readonly subject: string;
  readonly content: string;
}

const names = webhookFormats.flatMap(({ name }) =>
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
let reader: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [bot, reader] = await Promise.all([signIn(chat, 'webhook-bot'), signIn(chat, 'iago')]);
});
afterAll(() => cluster.stop());

interface Sent {
  readonly id: number;
  readonly subject: string;
  readonly content: string;
  readonly client: string;
}

let last = 0;

/** Returns the messages that the bot has sent to the channel since the previous call of this function, oldest first. */
async function newMessages(): Promise<readonly Sent[]> {
  const narrow = [
    { operator: 'channel', operand: 'Verona' },
    { operator: 'sender', operand: bot.id },
  ];
  const query = { anchor: String(last), include_anchor: 'false', num_before: '0', num_after: '1000' };
  const { body } = await reader.client.get<{ messages: readonly Sent[] }>('/api/v1/messages', {
    query: { ...query, narrow: JSON.stringify(narrow), apply_markdown: 'false' },
  });
  last = body.messages.at(-1)?.id ?? last;
  return body.messages;
}

const fixturesOf = (format: string): readonly string[] => names.filter((name) => name.startsWith(`${format}/`));

/** Sends an example request to the webhook endpoint. Returns the body of the response. */
async function sendFixture(name: string): Promise<unknown> {
  const { headers = {}, query = {}, body } = fixtureOf(name);
  const response = await chat.client.post(`/api/v1/external/${name.split('/')[0]}`, {
    query: { api_key: bot.apiKey, stream: 'Verona', ...query },
    headers,
    json: body,
  });
  return response.body;
}

/**
 * Returns a topic in the form that messages show: limited to 60 characters, and with the display name of the empty
 * topic.
 */
function shownTopic(topic: string): string {
  const characters = [...topic];
  if (topic === '(no topic)') return 'general chat';
  return characters.length <= 60 ? topic : `${characters.slice(0, 57).join('')}...`;
}

describe('POST /external/{name}', () => {
  it.each(webhookFormats)(
    'sends the expected messages for the recorded payloads of $name',
    async ({ name, sender }) => {
      for (const one of fixturesOf(name)) expect(await sendFixture(one), one).toEqual({ result: 'success', msg: '' });
      const client = `Zulip${sender}Webhook`;
      const expected = fixturesOf(name).flatMap((fixture) =>
        expectedMessages(fixture).map(({ subject, content }) => ({
          fixture,
          subject: shownTopic(subject),
          content,
          client,
        })),
      );
      const sent = await newMessages();
      const shown = sent.map(({ id: _, ...message }, index) => ({ fixture: expected[index]?.fixture, ...message }));
      expect(shown).toMatchObject(expected);
      expect(shown).toHaveLength(expected.length);
    },
  );
});

describe('fixtures of integrations', () => {
  it.each(webhookFormats.map(({ name }) => name))('contain a request for each event of the format %s', (name) => {
    const format = webhookFormats.find((one) => one.name === name)!;
    const shown = names.filter((one) => one.startsWith(`${name}/`)).flatMap((one) => expectedMessages(one));
    expect([...new Set(shown.map(({ event }) => event))].toSorted()).toEqual([...format.topics.keys()].toSorted());
  });

  it.each(webhookFormats.map(({ name }) => name))(
    'contain a text file with the expected messages for each request of the format %s',
    (name) => {
      const files = readdirSync(join(folder, name));
      const without = (extension: string) =>
        files.filter((file) => file.endsWith(extension)).map((file) => file.slice(0, -extension.length));
      expect(without('.json').toSorted()).toEqual(without('.txt').toSorted());
    },
  );
});
