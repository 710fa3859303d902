export type { Candidate, ChannelCandidate, MentionCandidate } from './candidates.js';
export {
  compileLinkifier,
  type Linkifier,
  LinkifierBudget,
  LinkifierError,
  linksOf,
  urlTemplateVariables,
} from './linkifiers.js';
export { MessageRenderer, type ParsedMessage, type RenderedMessage, rendererVersion } from './message-renderer.js';
export { plainRealm, type RealmContent } from './realm-content.js';
export { topicLinks, type TopicLink } from './topic-links.js';
export { channelPath } from './channel-links.js';
export { noNames, type ResolvedNames, topicKeyOf, type UploadedMedia } from './resolved-names.js';
