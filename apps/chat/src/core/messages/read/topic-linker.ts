import { LinkifierBudget, type RealmContent, type TopicLink, topicLinks } from '../../../infra/markdown/index.js';
import type { MessageRecord } from '../wire/message-record.js';

/** Adds the links of topics to the messages of one response; each topic is searched once, all within one budget. */
export function topicLinker({ linkifiers }: RealmContent): (message: MessageRecord) => MessageRecord {
  if (linkifiers.length === 0) return (message) => message;
  const budget = new LinkifierBudget();
  const known = new Map<string, TopicLink[]>();
  return (message) => {
    const links = known.get(message.topic) ?? topicLinks(message.topic, linkifiers, budget);
    known.set(message.topic, links);
    return links.length === 0 ? message : { ...message, topicLinks: links };
  };
}
