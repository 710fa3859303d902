import {
  LinkifierWorkBudget,
  type RealmMarkdownRenderingSettings,
  type TopicLink,
  findTopicLinks,
} from '../../../infra/markdown/index.js';
import type { MessageRecord } from '../wire/message-record-schema.js';

/**
 * Returns a function that adds topic links to the messages of one response. The function searches each topic once, and
 * all topics share a limited computing time.
 */
export function createTopicLinkAdder({
  linkifiers,
}: RealmMarkdownRenderingSettings): (message: MessageRecord) => MessageRecord {
  if (linkifiers.length === 0) return (message) => message;
  const budget = new LinkifierWorkBudget();
  const known = new Map<string, TopicLink[]>();
  return (message) => {
    const links = known.get(message.topic) ?? findTopicLinks(message.topic, linkifiers, budget);
    known.set(message.topic, links);
    return links.length === 0 ? message : { ...message, topicLinks: links };
  };
}
