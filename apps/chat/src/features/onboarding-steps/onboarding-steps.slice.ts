import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { CompleteOnboardingStep } from './complete-onboarding-step.action.js';
import { OnboardingStepsController } from './onboarding-steps.controller.js';
import { onboardingStepEvents } from './onboarding-steps.events.js';
import { onboardingStepSnapshotParts } from './onboarding-steps.snapshot.js';

/**
 * Feature module (slice) of onboarding steps. The module declares endpoint, events and snapshot parts (fields of the
 * `POST /register` response).
 */
export const onboardingStepsFeatureModule = defineFeatureModule('onboarding-steps', {
  controllers: [OnboardingStepsController],
  providers: [CompleteOnboardingStep],
  events: onboardingStepEvents,
  snapshotParts: onboardingStepSnapshotParts,
});
