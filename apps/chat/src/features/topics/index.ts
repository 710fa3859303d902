export { TopicLists } from './topic-list-cache.js';
export { topicsSlice } from './topics.slice.js';
