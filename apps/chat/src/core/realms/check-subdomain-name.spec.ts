import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, signIn } from '../../../test/chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start({ GIPHY_API_KEY: 'giphy-key', TENOR_API_KEY: 'tenor-key' });
});
afterAll(() => cluster.stop());

describe('GET /realm/subdomain/{subdomain}', () => {
  it.each([
    ['free-name', 'available'],
    ['ab', 'Subdomain needs to have length 3 or greater.'],
    ['a'.repeat(64), 'Subdomain needs to have length 63 or less.'],
    ['-abc', "Subdomain cannot start or end with a '-'."],
    ['Abc', "Subdomain can only have lowercase letters, numbers, and '-'s."],
    ['www', 'Subdomain reserved. Please choose a different one.'],
  ])('returns whether a subdomain is available: %s', async (name, msg) => {
    expect((await chat.client.get(`/api/v1/realm/subdomain/${name}`)).body).toEqual({ result: 'success', msg });
  });

  it('rejects the subdomain and the host name of an organization', async () => {
    await chat.runtime.database.query(
      `INSERT INTO realms (string_id, host, fake_email_domain, name) VALUES ('taken', 'hosted.example.com', 'x.test', 'T')`,
    );
    for (const name of ['taken', 'hosted']) {
      const { body } = await chat.client.get(`/api/v1/realm/subdomain/${name}`);
      expect(body).toMatchObject({ msg: 'Subdomain already in use. Please choose a different one.' });
    }
    await chat.runtime.database.query("DELETE FROM realms WHERE string_id = 'taken'");
  });
});

describe('POST /register', () => {
  it('contains the keys of GIPHY and Tenor from the configuration', async () => {
    const { client } = await signIn(chat, 'hamlet');
    const form = { fetch_event_types: '["giphy", "tenor"]' };
    expect((await client.post('/api/v1/register', { form })).body).toMatchObject({
      giphy_api_key: 'giphy-key',
      tenor_api_key: 'tenor-key',
    });
  });
});
