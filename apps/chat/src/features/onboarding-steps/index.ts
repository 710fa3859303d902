export { onboardingStepsFeatureModule } from './onboarding-steps.slice.js';
