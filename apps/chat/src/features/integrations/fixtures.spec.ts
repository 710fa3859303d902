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

/** Returns the messages that were sent to the channel since the last call, oldest first. */
async function newMessages(): Promise<readonly Sent[]> {
  const { body } = await reader.client.get<{ messages: readonly Sent[] }>('/api/v1/messages', {
    query: {
      narrow: '[{"operator":"channel","operand":"Verona"}]',
      anchor: String(last),
      include_anchor: 'false',
      num_before: '0',
      num_after: '100',
      apply_markdown: 'false',
    },
  });
  last = body.messages.at(-1)?.id ?? last;
  return body.messages;
}

describe('POST /external/{name}', () => {
  beforeAll(() => newMessages());

  it.each(names)('sends the expected messages for %s', async (name) => {
    const { headers = {}, query = {}, body } = fixtureOf(name);
    const [format = ''] = name.split('/');
    const response = await chat.client.post(`/api/v1/external/${format}`, {
      query: { api_key: bot.apiKey, stream: 'Verona', ...query },
      headers,
      json: body,
    });
    expect(response.body).toEqual({ result: 'success', msg: '' });
    const { sender } = formats.find((one) => one.name === format)!;
    const expected = expectedMessages(name).map(({ subject, content }) => ({
      subject: [...subject].length <= 60 ? subject : `${[...subject].slice(0, 57).join('')}...`,
      content,
      client: `Zulip${sender}Webhook`,
    }));
    const sent = await newMessages();
    expect(sent.map(({ subject, content, client }) => ({ subject, content, client }))).toEqual(expected);
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
