export { addDemoEmoji } from './demo-emoji.js';
export { createDemoRealm, demoPassword, type DemoParts } from './create-demo-realm.js';
export { demoBots, demoPeople } from './demo-people.js';
