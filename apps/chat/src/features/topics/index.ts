export { ReadTopics } from './read-topics.query.js';
export { TopicsController } from './topics.controller.js';
