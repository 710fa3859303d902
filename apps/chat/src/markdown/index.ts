export {
  MessageRenderer,
  rendererVersion,
  type MarkdownPlugin,
  type ParsedMessage,
  type RenderedMessage,
} from './message-renderer.js';
export type { MentionCandidate, MentionTarget } from './mentions.js';
export { noNames, type Mentioned, type ResolvedNames } from './resolved-mentions.js';
