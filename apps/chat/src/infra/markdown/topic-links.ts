import { type Linkifier, LinkifierBudget, splitIntoLinks } from './linkifiers.js';

/** A link in the name of a topic (docs/contract/chat.md 5.1). */
export interface TopicLink {
  readonly text: string;
  readonly url: string;
}

/**
 * Returns the links that linkifiers find in the name of a topic, in order. Topics of one response share a time budget.
 */
export function findTopicLinks(
  topic: string,
  linkifiers: readonly Linkifier[],
  budget = new LinkifierBudget(),
): TopicLink[] {
  const tokens = splitIntoLinks(topic, linkifiers, budget) ?? [];
  return tokens.flatMap((token, index) =>
    token.type === 'link_open' ? [{ text: tokens[index + 1]?.content ?? '', url: String(token.attrGet('href')) }] : [],
  );
}
