import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  iago = await signIn(chat, 'iago');
});
afterAll(() => cluster.stop());

const verona = { type: 'channel', to: 'Verona', topic: 'frame', content: 'hello' };

describe('HTTP layer of the chat service', () => {
  it('responds to an unknown path with result, msg and code', async () => {
    const { status, body } = await chat.client.get('/api/v1/nothing', { unchecked: true });
    expect({ status, body }).toEqual({
      status: 404,
      body: { result: 'error', msg: 'No such endpoint', code: 'BAD_REQUEST' },
    });
  });

  it('responds to an unsupported method with the header Allow', async () => {
    const { status, body, headers } = await iago.client.put('/api/v1/messages', { unchecked: true });
    expect({ status, body }).toEqual({
      status: 405,
      body: {
        result: 'error',
        msg: 'Method Not Allowed',
        code: 'METHOD_NOT_ALLOWED',
        allowed_methods: ['GET', 'POST'],
      },
    });
    expect(headers.allow).toContain('POST');
  });

  it('responds to OPTIONS with the methods and CORS headers', async () => {
    const { status, headers } = await chat.client.sendOptionsRequest('/api/v1/messages', { unchecked: true });
    expect(status).toBe(204);
    expect(headers.allow).toContain('GET');
    expect(headers['access-control-allow-headers']).toContain('Authorization');
  });

  it('sets the header Cache-Control: no-store on responses', async () => {
    const { headers } = await chat.client.get('/api/v1/server_settings');
    expect(headers['cache-control']).toBe('max-age=0, no-cache, no-store, must-revalidate, private');
    expect(headers.vary).toContain('Cookie');
  });

  it('responds 400 to an oversized body', async () => {
    const { status, body } = await iago.client.post('/api/v1/messages', {
      form: { ...verona, content: 'x'.repeat(3_000_000) },
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ msg: 'Uploaded file is larger than the allowed limit of 2 MiB' });
  });

  it('parses multipart bodies, uses the last of repeated values, and ignores files', async () => {
    const parts = Object.entries(verona).map(
      ([name, value]) => `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    const file = '--b\r\ncontent-disposition: form-data; name="f"; filename="a.txt"\r\n\r\ndata\r\n';
    const { status } = await iago.client.post('/api/v1/messages', {
      payload: `${parts.join('')}${file}--b--\r\n`,
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    });
    expect(status).toBe(200);
  });

  it('accepts a multipart body without parts as a form without fields', async () => {
    const { status, body } = await iago.client.post('/api/v1/register', {
      payload: '--b--\r\n',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    });
    expect({ status, body }).toMatchObject({ status: 200, body: { result: 'success' } });
  });

  it('rejects a truncated multipart body', async () => {
    const { status, body } = await iago.client.post('/api/v1/messages', {
      payload: '--b\r\ncontent-disposition: form-data; name="to"\r\n\r\nVer',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    });
    expect({ status, body }).toMatchObject({ status: 400, body: { msg: 'Malformed form data' } });
  });

  it('ignores bodies that are not forms', async () => {
    const { status, body } = await iago.client.post('/api/v1/messages', { json: verona, unchecked: true });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'type' },
    });
  });

  it.each(['application/json', 'text/plain'])(
    'responds with an error that names the unsupported media type %s',
    async (type) => {
      const payload = JSON.stringify(verona);
      const headers = { 'content-type': `${type}; charset=utf-8` };
      const { body } = await iago.client.post('/api/v1/messages', { payload, headers, unchecked: true });
      expect(body).toMatchObject({
        code: 'REQUEST_VARIABLE_MISSING',
        msg: `Missing 'type' argument: a body of the type ${type} is not read, send a form`,
      });
    },
  );

  it('responds with an error that names only the missing parameter when the body is a form', async () => {
    const { body } = await iago.client.post('/api/v1/messages', { form: { to: 'Verona', content: 'x' } });
    expect(body).toMatchObject({ code: 'REQUEST_VARIABLE_MISSING', msg: "Missing 'type' argument" });
  });

  it('ignores the body of a GET', async () => {
    const { status } = await iago.client.request('GET', '/api/v1/users', {
      payload: 'user_ids=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(status).toBe(200);
  });

  it('uses the form field `method` as the method of the request, also on paths that do not support POST', async () => {
    const { body } = await iago.client.post<{ queue_id: string }>('/api/v1/register', {
      form: { fetch_event_types: '[]' },
    });
    const removed = await iago.client.post('/api/v1/events', {
      form: { method: 'DELETE', queue_id: body.queue_id },
      unchecked: true,
    });
    expect({ status: removed.status, body: removed.body }).toEqual({
      status: 200,
      body: { result: 'success', msg: '' },
    });
  });

  it('lists ignored parameters, sorted, in successful responses only', async () => {
    const good = await iago.client.get('/api/v1/users', { query: { zebra: 1, apple: 2 }, unchecked: true });
    expect(good.body).toMatchObject({ ignored_parameters_unsupported: ['apple', 'zebra'] });
    // Path parameters may be repeated in the form.
    const form = { message_id: 1, emoji_name: 'tada', apple: 2 };
    const again = await iago.client.post('/api/v1/messages/1/reactions', { form, unchecked: true });
    expect(again.body).toMatchObject({ result: 'success', ignored_parameters_unsupported: ['apple'] });
    const bad = await iago.client.post('/api/v1/messages', { form: { zebra: 1 } });
    expect(Object.keys(bad.body ?? {}).toSorted()).toEqual(['code', 'msg', 'result', 'var_name']);
  });

  it('responds to HEAD with the headers of GET and without a body', async () => {
    const { status, text } = await chat.client.head('/api/v1/server_settings', { unchecked: true });
    expect({ status, text }).toEqual({ status: 200, text: '' });
  });
});

describe('GET /health/ready with an empty database', () => {
  it('responds 200 with the command that creates the first organization', async () => {
    const bare = await chatCluster({ withDemo: false });
    const empty = await bare.start();
    const { status, text } = await empty.client.get('/health/ready', { unchecked: true });
    expect(status).toBe(200);
    expect(text).toContain('create-realm');
    const settings = await empty.client.get('/api/v1/server_settings');
    expect({ status: settings.status, body: settings.body }).toMatchObject({
      status: 404,
      body: { code: 'NONEXISTENT_SUBDOMAIN' },
    });
    await bare.stop();
  });
});
