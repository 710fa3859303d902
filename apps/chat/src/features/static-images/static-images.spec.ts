import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import sharp from 'sharp';
import { type ChatCluster, chatCluster, type ChatProcess, signIn } from '../../../test/chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
});
afterAll(() => cluster.stop());

describe('GET /static/images', () => {
  it.each(['realm_logo_url', 'realm_night_logo_url'])('serves the default logo at the URL in %s', async (field) => {
    const iago = await signIn(chat, 'iago');
    const form = { fetch_event_types: '["realm"]' };
    const { body } = await iago.client.post<Record<string, string>>('/api/v1/register', { form });
    const { status, headers, text } = await chat.client.get(body[field] ?? '', { unchecked: true });
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'image/svg+xml; charset=utf-8' });
    expect(headers['cache-control']).toBe('public, max-age=86400');
    expect(text).toMatch(/^<svg /);
  });

  it('serves the avatar that is shown for unknown users', async () => {
    const { rawPayload } = await chat.app.inject({ url: '/static/images/unknown-user-avatar.png' });
    expect(await sharp(rawPayload).metadata()).toMatchObject({ format: 'png', width: 100, height: 100 });
  });

  it.each(['logo/other.svg', '../package.json', 'constructor'])('responds 404 for %s', async (path) => {
    expect((await chat.client.get(`/static/images/${path}`, { unchecked: true })).status).toBe(404);
  });
});
