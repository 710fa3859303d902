import { type Linkifier, LinkifierWorkBudget, splitTextAtLinks } from './linkifiers.js';

/** Text and URL of a link in the name of a topic (docs/contract/chat.md 5.1). */
export interface TopicLink {
  readonly text: string;
  readonly url: string;
}

/**
 * Returns the links that linkifiers find in the name of a topic, in the order of the text. All topics of one response
 * share one {@link LinkifierWorkBudget}.
 */
export function findTopicLinks(
  topic: string,
  linkifiers: readonly Linkifier[],
  budget = new LinkifierWorkBudget(),
): TopicLink[] {
  const tokens = splitTextAtLinks(topic, linkifiers, budget) ?? [];
  return tokens.flatMap((token, index) =>
    token.type === 'link_open' ? [{ text: tokens[index + 1]?.content ?? '', url: String(token.attrGet('href')) }] : [],
  );
}
