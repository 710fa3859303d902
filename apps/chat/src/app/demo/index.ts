export { addDemoEmoji } from './demo-emoji.js';
export { createDemoRealm, demoPassword } from './create-demo-realm.js';
