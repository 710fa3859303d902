import { z } from 'zod';

/** Schema of an onboarding step: a notice or action that clients show a user once (docs/contract/chat.md 2.A). */
export const wireOnboardingStepSchema = z
  .strictObject({ type: z.enum(['one_time_notice', 'one_time_action']), name: z.string() })
  .meta({ id: 'OnboardingStep' });

export type WireOnboardingStep = z.infer<typeof wireOnboardingStepSchema>;

const onboardingNotices = [
  'visibility_policy_banner',
  'intro_inbox_view_modal',
  'intro_recent_view_modal',
  'first_stream_created_banner',
  'jump_to_conversation_banner',
  'non_interleaved_view_messages_fading',
  'interleaved_view_messages_fading',
  'intro_resolve_topic',
  'navigation_tour_video',
] as const;

const onboardingActions = ['narrow_to_dm_with_welcome_bot_new_user'] as const;

/**
 * Name of the onboarding step for the navigation tour video. The step is offered only if the operator has configured a
 * video.
 */
export const navigationVideoStepName = 'navigation_tour_video';

const allOnboardingSteps: readonly WireOnboardingStep[] = [
  ...onboardingNotices.map((name) => ({ type: 'one_time_notice' as const, name })),
  ...onboardingActions.map((name) => ({ type: 'one_time_action' as const, name })),
];

/** Returns true if an onboarding step with the given name exists. */
export function isOnboardingStep(name: string): boolean {
  return allOnboardingSteps.some((step) => step.name === name);
}

/**
 * Returns the onboarding steps that a user has not completed.
 *
 * @param hasVideo true if the operator has configured a navigation tour video
 */
export function listRemainingSteps(completed: readonly string[], hasVideo: boolean): WireOnboardingStep[] {
  return allOnboardingSteps.filter(
    ({ name }) => !completed.includes(name) && (hasVideo || name !== navigationVideoStepName),
  );
}
