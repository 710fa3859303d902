import { z } from 'zod';
import { defineSqlSnapshotPart } from '../../events/define-snapshot-part.js';
import { listRemainingSteps, wireOnboardingStepSchema } from './onboarding-step-list.js';

const onboardingStepsSnapshotPart = defineSqlSnapshotPart({
  types: ['onboarding_steps'],
  shape: { onboarding_steps: z.array(wireOnboardingStepSchema), navigation_tour_video_url: z.string().nullable() },
  sql: 'SELECT json_agg(step) FROM onboarding_steps WHERE user_id = $2',
  fields: (completed: string[] | null, { config }) => {
    const url = config.NAVIGATION_TOUR_VIDEO_URL ?? null;
    return { onboarding_steps: listRemainingSteps(completed ?? [], url !== null), navigation_tour_video_url: url };
  },
});

/**
 * Snapshot part with the field of the `POST /register` response that lists the uncompleted onboarding steps.
 */
export const onboardingStepSnapshotParts = [onboardingStepsSnapshotPart];
