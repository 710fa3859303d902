import { type RealmContent, type TopicLink, topicLinks } from '../../markdown/index.js';
import type { MessageRecord } from './message-record.js';

/** Adds to messages what the realm's linkifiers find in their topics; each topic is looked at once. */
export function topicLinker({ linkifiers }: RealmContent): (message: MessageRecord) => MessageRecord {
  if (linkifiers.length === 0) return (message) => message;
  const known = new Map<string, TopicLink[]>();
  return (message) => {
    const links = known.get(message.topic) ?? topicLinks(message.topic, linkifiers);
    known.set(message.topic, links);
    return links.length === 0 ? message : { ...message, topicLinks: links };
  };
}
