import type { Tx } from '@switchboard/database';
import { type RealmContent, topicLinks } from '../../markdown/index.js';
import { everybodyOf, type HeldMessage } from '../message-access/index.js';
import { type NoticeTools, packReceivers, type PeopleByFlags } from '../messages/index.js';
import type { MovePlan } from './plan-move.js';
import { type MessageMove, updateMessageEvent } from './update-message.events.js';
import type { Edit } from './write-edit.repository.js';

/** Tells of an edit everybody who may read the message before and after it. */
export function tellUpdate(
  tx: Tx,
  { events, realm }: Pick<NoticeTools, 'events' | 'realm'>,
  message: HeldMessage,
  { editorId, at, content, move }: Edit,
  readers: PeopleByFlags,
): void {
  const { channel } = message;
  events.write(tx, message.realmId, updateMessageEvent, {
    audience: { users: everybodyOf(readers) },
    payload: {
      userId: editorId,
      messageId: message.id,
      messageIds: [...(move?.messageIds ?? [message.id])],
      editedAt: Math.floor(at / 1000),
      channel: channel && { id: channel.id, name: channel.name },
      receivers: packReceivers(readers),
      content: content?.change ?? null,
      move: move && moveOf(move, realm),
    },
  });
}

function moveOf(plan: MovePlan, realm: RealmContent): MessageMove {
  const links = plan.changesTopic ? topicLinks(plan.topic, realm.linkifiers) : [];
  return {
    propagateMode: plan.propagateMode,
    topicBefore: plan.topicBefore,
    topic: plan.changesTopic ? plan.topic : null,
    ...(links.length > 0 && { topicLinks: links }),
    channelId: plan.changesChannel ? plan.destination.channel.id : null,
  };
}
