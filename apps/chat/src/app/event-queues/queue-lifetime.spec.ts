import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readChatServiceConfig } from '../environment.js';
import {
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  contract,
  type DemoUser,
  signIn,
} from '../../../test/chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  iago = await signIn(chat, 'iago');
});
afterAll(() => cluster.stop());

const register = async (form: Record<string, string>) =>
  (await iago.client.post<{ queue_id: string }>('/api/v1/register', { form })).body;

describe('POST /register', () => {
  it('returns the time limits, size limits and names of the server that clients need', async () => {
    const state = await register({});
    expect(state).toMatchObject({
      result: 'success',
      msg: '',
      queue_id: expect.any(String),
      last_event_id: -1,
      server_typing_started_wait_period_milliseconds: expect.any(Number),
      server_typing_stopped_wait_period_milliseconds: expect.any(Number),
      server_typing_started_expiry_period_milliseconds: expect.any(Number),
      max_topic_length: 60,
      max_channel_folder_name_length: expect.any(Number),
      max_channel_folder_description_length: expect.any(Number),
      realm_empty_topic_display_name: 'general chat',
      idle_queue_timeout_secs: 600,
      has_vcall_token: false,
      realm_users: expect.any(Array),
      realm_user_groups: expect.any(Array),
      realm_linkifiers: expect.any(Array),
      user_settings: expect.any(Object),
      zulip_feature_level: expect.any(Number),
    });
  });

  it('accepts every documented client capability, and unknown ones', async () => {
    const capabilities = [
      'notification_settings_null',
      'bulk_message_deletion',
      'user_avatar_url_field_optional',
      'stream_typing_notifications',
      'user_settings_object',
      'linkifier_url_template',
      'user_list_incomplete',
      'include_deactivated_groups',
      'archived_channels',
      'empty_topic_name',
      'simplified_presence_events',
      'individual_emoji_changes',
      'not_thought_of_yet',
    ];
    const client_capabilities = JSON.stringify(Object.fromEntries(capabilities.map((name) => [name, true])));
    expect(await register({ client_capabilities })).toMatchObject({ result: 'success', msg: '' });
  });
});

describe('GET /events: idle queues', () => {
  it('responds BAD_EVENT_QUEUE_ID after idle_queue_timeout without a poll', async () => {
    const [idle, patient] = [await register({ idle_queue_timeout: '1' }), await register({})];
    await sleep(1100);
    const poll = async (queueId: string) =>
      (
        await iago.client.get('/api/v1/events', {
          query: { queue_id: queueId, last_event_id: -1, dont_block: true },
        })
      ).body;
    expect(await poll(idle.queue_id)).toMatchObject({ code: 'BAD_EVENT_QUEUE_ID', queue_id: idle.queue_id });
    expect(await poll(patient.queue_id)).toMatchObject({ result: 'success' });
  });

  it('returns a heartbeat at least every minute', () => {
    expect(readChatServiceConfig({ NODE_ENV: 'test' }).EVENT_HEARTBEAT_MS).toBeLessThanOrEqual(60_000);
    expect(() => readChatServiceConfig({ NODE_ENV: 'test', EVENT_HEARTBEAT_MS: '60001' })).toThrow(
      'EVENT_HEARTBEAT_MS',
    );
  });
});

describe('GET /api/v1/openapi.json', () => {
  it('returns a document whose API paths all start with /api/v1', () => {
    // Pages and files that browsers load, and the endpoint that only sessions may call.
    const outside = /^\/(accounts|logout|join|calls|emails|avatar|static|user_avatars|user_uploads|json)\b/;
    const paths = Object.keys(contract.paths ?? {}).filter((path) => !outside.test(path));
    expect(paths.filter((path) => !path.startsWith('/api/v1/'))).toEqual([]);
  });
});
