export { onboardingStepsSlice } from './onboarding-steps.slice.js';
