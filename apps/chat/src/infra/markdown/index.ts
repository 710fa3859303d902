export type { UnresolvedReference, ChannelLinkReference, MentionReference } from './unresolved-references.js';
export {
  compileLinkifier,
  type Linkifier,
  LinkifierBudget,
  LinkifierError,
  findLinksOfLinkifier,
  urlTemplateVariables,
} from './linkifiers.js';
export { MessageRenderer, type ParsedMessage, type RenderedMessage, rendererVersion } from './message-renderer.js';
export { defaultRealmContent, type RealmContent } from './realm-markdown-content.js';
export { findTopicLinks, type TopicLink } from './topic-links.js';
export { getChannelPath } from './channel-links.js';
export { emptyResolvedNames, type ResolvedNames, createTopicKey, type UploadedMedia } from './resolved-names.js';
