export { messageFlagsFeatureModule } from './message-flags.slice.js';
export { flagsAddEvent } from './message-flags.events.js';
