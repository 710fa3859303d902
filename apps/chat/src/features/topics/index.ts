export { TopicLists } from './topic-lists.js';
export { topicsSlice } from './topics.slice.js';
