import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '@switchboard/testing';
import { type PlannedResponse, Receiver } from '../../../test/webhooks/test-receiver.js';
import { quickSettings, WebhookTestEnvironment, siteChange } from '../../../test/webhooks/webhook-test-service.js';

const success: PlannedResponse = { status: 200, body: '{"result":"success","msg":"","id":7}' };

let rig: WebhookTestEnvironment;
const chat = new Receiver();

beforeAll(async () => {
  rig = await WebhookTestEnvironment.create();
  await chat.start();
});
afterEach(async () => {
  await rig.reset();
  chat.requests.length = 0;
  chat.response = () => success;
});
afterAll(async () => {
  await chat.stop();
  await rig.close();
});

const messages = (): Record<string, string>[] =>
  chat.requests.map(({ body }) => Object.fromEntries(new URLSearchParams(body.toString('utf8'))));

describe('message to a chat destination', () => {
  it('arrives as a message of the configured bot', async () => {
    chat.response = () => success;
    await rig.addChat(`${chat.url}/team/`, { topic_template: ' {{ object_type }}\n {{ data.name }} ' });
    rig.process();
    await rig.commit(siteChange());
    const [row] = await rig.settled(1);
    const [request] = chat.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/team/api/v1/messages' });
    expect(request?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from('bot@example.com:sesame').toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(messages()).toEqual([
      { type: 'stream', to: 'network', topic: 'dcim.site ams1', content: 'ams1 was updated' },
    ]);
    expect(row).toMatchObject({ action_type: 'chat', status: 'succeeded', attempts: 1, error: null, webhook_id: null });
  });

  it('shows mentions in object names as plain text, but preserves mentions in the template', async () => {
    await rig.addChat(chat.url, { message_template: '@**on call** {{ data.name }}' });
    rig.process();
    await rig.commit(siteChange({ data: { name: '@**all** @_**ann** @*staff* a@b' } }));
    await rig.settled(1);
    expect(messages()[0]?.['content']).toBe('@**on call** @\u200B**all** @\u200B_**ann** @\u200B*staff* a@b');
  });

  it('repeats with the same delivery id until the server reports success', async () => {
    const responses: PlannedResponse[] = [
      { status: 500 },
      { status: 200, body: '<html>' },
      { status: 200, body: '{}' },
      'reset',
    ];
    chat.response = (_request, count) => responses[count - 1] ?? success;
    await rig.addChat(chat.url);
    rig.process();
    await rig.commit(siteChange());
    expect(await rig.settled(1)).toMatchObject([{ status: 'succeeded', attempts: 5, error: null }]);
  });

  it.each([
    ['the header', { headers: { 'retry-after': '1' } }],
    ['the answer', { body: '{"result":"error","code":"RATE_LIMIT_HIT","msg":"Slow","retry-after":0.99}' }],
  ])('waits after status 429 for the time that %s requests', async (_where, said) => {
    chat.response = (_request, count) => (count === 1 ? { status: 429, ...said } : success);
    await rig.addChat(chat.url);
    rig.process();
    await rig.commit(siteChange());
    await rig.settled(1);
    const [first, second] = chat.requests;
    expect(second!.atMs - first!.atMs).toBeGreaterThanOrEqual(980);
  });

  it('fails permanently with the error of the server when the server rejects the message', async () => {
    chat.response = () => ({ status: 400, body: '{"result":"error","msg":"Channel \'network\' does not exist"}' });
    await rig.addChat(chat.url);
    rig.process();
    await rig.commit(siteChange());
    expect(await rig.settled(1)).toMatchObject([
      {
        status: 'failed',
        attempts: 1,
        response_status: 400,
        error: "Status 400 returned by the chat server: Channel 'network' does not exist",
      },
    ]);
  });

  it('does not follow redirects', async () => {
    chat.response = () => ({ status: 302, headers: { location: `${chat.url}/elsewhere` } });
    await rig.addChat(chat.url);
    rig.process({ settings: quickSettings({ retry: { ...quickSettings().retry, retries: 0 } }) });
    await rig.commit(siteChange());
    expect(await rig.settled(1)).toMatchObject([{ status: 'failed', response_status: 302 }]);
    expect(chat.requests).toHaveLength(1);
  });

  it('waits for an earlier message about the same object, but not for webhook deliveries', async () => {
    let isUp = false;
    chat.response = () => (isUp ? success : { status: 503 });
    await rig.addChat(chat.url, { message_template: '{{ event }}' });
    await rig.addWebhook(`${chat.url}/hook`);
    const base = quickSettings().retry;
    rig.process({ settings: quickSettings({ retry: { ...base, retries: 50, maxMs: 100 } }) });
    await rig.commit(siteChange({ event: 'created' }));
    await rig.commit(siteChange({ event: 'updated' }));
    await waitFor(() => chat.requests.length >= 4, { what: 'a few refused messages' });
    isUp = true;
    await rig.settled(4);
    const said = messages().map(({ content }) => content);
    const sent = said.filter((content) => content !== undefined);
    expect(sent.at(-1)).toBe('updated');
    expect(sent.filter((content) => content === 'updated')).toHaveLength(1);
  });

  it('reaches no address that the address policy forbids', async () => {
    await rig.addChat(chat.url);
    const settings = quickSettings();
    const policy = { ...settings.outbound.policy, allowLoopback: false };
    rig.process({ settings: { ...settings, outbound: { ...settings.outbound, policy } } });
    await rig.commit(siteChange());
    expect(await rig.settled(1)).toMatchObject([
      { status: 'failed', error: 'Address 127.0.0.1 of host 127.0.0.1 is refused: loopback' },
    ]);
    expect(chat.requests).toHaveLength(0);
  });

  it('does not store or log the bot key', async () => {
    chat.response = () => ({ status: 500 });
    await rig.addChat(chat.url, { bot_key: 'sesame-street' });
    rig.process({ settings: quickSettings({ retry: { ...quickSettings().retry, retries: 0 } }) });
    await rig.commit(siteChange());
    const rows = await rig.settled(1);
    const attempts = await rig.database.query('SELECT * FROM webhook_delivery_attempts');
    const kept = JSON.stringify([rows, attempts.rows, rig.logs]);
    expect(attempts.rows).toHaveLength(1);
    expect(kept).not.toContain('sesame-street');
    expect(kept).not.toContain(Buffer.from('bot@example.com:sesame-street').toString('base64'));
  });
});

describe('delivery to a chat destination that cannot succeed', () => {
  it.each([
    ['topic_template', 'topic'],
    ['message_template', 'message'],
  ])('fails permanently when its %s cannot be rendered', async (column, part) => {
    await rig.addChat(chat.url, { name: 'Team', [column]: '{{ data.x.y.z }}' });
    rig.process();
    await rig.commit(siteChange());
    const [row] = await rig.settled(1);
    expect(row).toMatchObject({ status: 'failed', attempts: 1, response_status: null });
    expect(row?.error).toMatch(
      new RegExp(`^The ${part} template of chat destination Team cannot be rendered: UndefinedError: `),
    );
  });

  it('fails permanently when the bot key cannot be decrypted', async () => {
    const id = await rig.addChat(chat.url, { name: 'Team' });
    await rig.database.query("UPDATE extras_chatdestination SET bot_key = 'v1.k0.x.y.z' WHERE id = $1", [id]);
    rig.process();
    await rig.commit(siteChange());
    expect(await rig.settled(1)).toMatchObject([
      { status: 'failed', error: 'The bot key of chat destination Team cannot be decrypted.' },
    ]);
  });

  it('fails permanently when the destination was deleted', async () => {
    chat.response = () => ({ status: 500 });
    const id = await rig.addChat(chat.url);
    rig.process();
    await rig.commit(siteChange());
    await waitFor(async () => (await rig.deliveries())[0]?.attempts === 1);
    await rig.database.query('DELETE FROM extras_chatdestination WHERE id = $1', [id]);
    expect(await rig.settled(1)).toMatchObject([{ status: 'failed', error: 'The chat destination was deleted.' }]);
  });
});
