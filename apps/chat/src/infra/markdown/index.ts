export type { UnresolvedReference, ChannelLinkReference, MentionReference } from './unresolved-references.js';
export {
  compileLinkifier,
  type Linkifier,
  LinkifierWorkBudget,
  LinkifierError,
  findLinksOfLinkifier,
  listUrlTemplateVariables,
} from './linkifiers.js';
export { MessageRenderer, type ParsedMessage, type RenderedMessage, rendererVersion } from './message-renderer.js';
export { defaultRealmMarkdownSettings, type RealmMarkdownRenderingSettings } from './realm-markdown-content.js';
export { findTopicLinks, type TopicLink } from './topic-links.js';
export { getChannelWebUrlPath } from './channel-links.js';
export {
  emptyResolvedMessageReferences,
  type ResolvedMessageReferences,
  createTopicKey,
  type UploadedMedia,
} from './resolved-names.js';
