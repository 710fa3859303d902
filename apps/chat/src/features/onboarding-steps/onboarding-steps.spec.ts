import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openQueue } from '../../../test/event-queue.js';

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
    const queue = await openQueue(chat, hamlet, ['onboarding_steps']);
    expect(await complete('intro_inbox_view_modal')).toMatchObject({ result: 'success' });
    expect(await complete('intro_inbox_view_modal')).toMatchObject({ result: 'success' });
    const { onboarding_steps: left } = await register();
    expect(left).toEqual(all.filter(({ name }) => name !== 'intro_inbox_view_modal'));
    expect(await queue.read()).toMatchObject([{ onboarding_steps: left }]);
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
