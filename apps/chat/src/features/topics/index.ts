export { TopicListCache } from './topic-list-cache.js';
export { topicsFeatureModule } from './topics.slice.js';
