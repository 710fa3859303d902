import { type Linkifier, linkify } from './linkifiers.js';

/** A link that a topic holds (chat-contract 5.1). */
export interface TopicLink {
  readonly text: string;
  readonly url: string;
}

/** What linkifiers find in a topic, in the order in which it stands there. */
export function topicLinks(topic: string, linkifiers: readonly Linkifier[]): TopicLink[] {
  const tokens = linkify(topic, linkifiers) ?? [];
  return tokens.flatMap((token, index) =>
    token.type === 'link_open' ? [{ text: tokens[index + 1]?.content ?? '', url: String(token.attrGet('href')) }] : [],
  );
}
