import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;

const video = 'https://video.example.com/tour.webm';

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start({ NAVIGATION_TOUR_VIDEO_URL: video });
  hamlet = await signIn(chat, 'hamlet');
});
afterAll(() => cluster.stop());

interface Step {
  readonly type: string;
  readonly name: string;
}

async function complete(name: string): Promise<Record<string, unknown>> {
  const form = { onboarding_step: name };
  return (await hamlet.client.post<Record<string, unknown>>('/api/v1/users/me/onboarding_steps', { form })).body;
}

async function register() {
  const form = { fetch_event_types: '["onboarding_steps"]' };
  const answer = await hamlet.client.post<{ onboarding_steps: Step[] } & Record<string, unknown>>('/api/v1/register', {
    form,
  });
  return answer.body;
}

describe('POST /users/me/onboarding_steps', () => {
  it('removes the step from later snapshots, and emits the remaining steps once', async () => {
    const { onboarding_steps: all } = await register();
    expect(all).toContainEqual({ type: 'one_time_notice', name: 'intro_inbox_view_modal' });
    expect(all).toContainEqual({ type: 'one_time_action', name: 'narrow_to_dm_with_welcome_bot_new_user' });
    const queue = await openTestEventQueue(chat, hamlet, ['onboarding_steps']);
    expect(await complete('intro_inbox_view_modal')).toMatchObject({ result: 'success' });
    expect(await complete('intro_inbox_view_modal')).toMatchObject({ result: 'success' });
    const { onboarding_steps: left } = await register();
    expect(left).toEqual(all.filter(({ name }) => name !== 'intro_inbox_view_modal'));
    expect(await queue.read()).toMatchObject([{ onboarding_steps: left }]);
  });

  it('schedules one message of Welcome Bot with the tour video, which is sent after the requested delay', async () => {
    const form = { onboarding_step: 'navigation_tour_video', schedule_navigation_tour_video_reminder_delay: '1' };
    const cordelia = await signIn(chat, 'cordelia');
    const queue = await openTestEventQueue(chat, cordelia, ['message']);
    for (const _repetition of [1, 2]) {
      expect((await cordelia.client.post('/api/v1/users/me/onboarding_steps', { form })).status).toBe(200);
    }
    const received: Record<string, unknown>[] = [];
    await expect.poll(async () => received.push(...(await queue.read())), { timeout: 30_000 }).toBe(1);
    const content = expect.stringContaining(video);
    expect(received).toMatchObject([{ message: { sender_full_name: 'Welcome Bot', type: 'private', content } }]);
    const { rows } = await chat.runtime.database.query('SELECT 1 FROM scheduled_messages');
    expect(rows).toEqual([]);
  });

  it('rejects a reminder for another step, and a reminder without a delay', async () => {
    const remind = (onboarding_step: string, delay: string) =>
      hamlet.client.post('/api/v1/users/me/onboarding_steps', {
        form: { onboarding_step, schedule_navigation_tour_video_reminder_delay: delay },
      });
    expect((await remind('intro_recent_view_modal', '5')).body).toMatchObject({ code: 'BAD_REQUEST' });
    expect((await remind('navigation_tour_video', '0')).body).toMatchObject({ code: 'REQUEST_VARIABLE_INVALID' });
  });

  it('rejects an unknown step', async () => {
    expect(await complete('x')).toMatchObject({ code: 'BAD_REQUEST', msg: 'Unknown onboarding_step: x' });
  });
});

describe('POST /register', () => {
  it('contains the tour video and its step only if NAVIGATION_TOUR_VIDEO_URL is set', async () => {
    const step = { type: 'one_time_notice', name: 'navigation_tour_video' };
    const shown = await register();
    expect(shown).toMatchObject({ navigation_tour_video_url: video });
    expect(shown.onboarding_steps).toContainEqual(step);
    const other = await cluster.start();
    const { body } = await (
      await signIn(other, 'hamlet')
    ).client.post<{ onboarding_steps: Step[] }>('/api/v1/register');
    expect(body).toMatchObject({ navigation_tour_video_url: null });
    expect(body.onboarding_steps).not.toContainEqual(step);
  });
});
