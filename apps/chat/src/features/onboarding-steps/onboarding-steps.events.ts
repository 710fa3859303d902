import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';
import { wireOnboardingStepSchema } from './onboarding-step-list.js';

const onboardingStepsFields = { onboarding_steps: z.array(wireOnboardingStepSchema) };

/**
 * Event sent when a user completed an onboarding step. The event lists the remaining steps (docs/contract/chat.md 3.4).
 */
export const onboardingStepsEvent = defineEventType({
  name: 'onboarding_steps',
  audience: 'Only the user who completed the step.',
  payload: z.strictObject(onboardingStepsFields),
}).addVariant({ type: 'onboarding_steps', fields: onboardingStepsFields, render: (change) => change });

/** List of all event types of the onboarding step feature. */
export const onboardingStepEvents = [onboardingStepsEvent];
