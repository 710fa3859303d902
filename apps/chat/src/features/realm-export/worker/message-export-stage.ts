import {
  archiveEntryNumbers,
  type RealmExportContext,
  type ExportStage,
  type ExportStepResult,
} from './export-stage.js';
import {
  countSoftDeactivatedUsers,
  countRecipientRows,
  findExportableMessages,
  type ExportableMessageWithSize,
  readExportedMessageRows,
  readExportedRecipientRows,
} from './exported-messages.repository.js';

/** Maximum number of messages in one message file of the archive, the number that the reference server (Zulip) uses. */
const messagesPerFile = 1_000;

/** Number of messages that one statement examines for the export. */
const messagesPerSearch = 2_000;

/**
 * Maximum number of searches for messages in one export step. With the limit, a step takes only seconds even if few
 * messages are exportable.
 */
const searchesPerStep = 50;

/**
 * Maximum size of message texts that one statement reads, in bytes. A message with larger texts is read by a separate
 * statement.
 */
const textBytesPerRead = 2 * 1024 * 1024;

/**
 * Maximum number of recipient rows that one statement reads. All recipient rows of one message are read in one
 * statement.
 */
const recipientRowsPerRead = 10_000;

/** Position in the export of messages: the number of the next message file, and the id of the last examined message. */
interface MessagesExportPosition {
  readonly file: number;
  readonly afterId: number;
}

/** Export stage that writes the message files, one per step. */
export const messagesExportStage: ExportStage = {
  async run(context, cursor) {
    const { file, afterId } = (cursor ?? { file: 1, afterId: 0 }) as MessagesExportPosition;
    const found = await findMessagesOfExportFile(context, afterId);
    const { lastId, isComplete } = found;
    if (found.messages.length === 0) return { parts: [], cursor: isComplete ? null : { file, afterId: lastId } };
    const next = isComplete ? null : { file: file + 1, afterId: lastId };
    return { ...(await writeMessageFile(context, file, found.messages)), cursor: next };
  },
};

interface MessagesOfExportFile {
  readonly messages: readonly ExportableMessageWithSize[];
  readonly lastId: number;
  /** True if no messages remain to be examined after the found messages. */
  readonly isComplete: boolean;
}

/** Finds the messages that will be written to the next message file of the archive. */
async function findMessagesOfExportFile(context: RealmExportContext, start: number): Promise<MessagesOfExportFile> {
  const messages: ExportableMessageWithSize[] = [];
  let afterId = start;
  const bounds = { lastId: context.lastMessageId, limit: messagesPerSearch };
  for (let searches = 0; searches < searchesPerStep && messages.length < messagesPerFile; searches += 1) {
    const found = await findExportableMessages(context.database, context, { ...bounds, afterId });
    if (found.lastId === null) return { messages, lastId: afterId, isComplete: true };
    messages.push(...found.messages);
    afterId = found.lastId;
  }
  const isDivided = messages.splice(messagesPerFile).length > 0;
  if (isDivided) afterId = messages.at(-1)?.id ?? start;
  return { messages, lastId: afterId, isComplete: false };
}

async function writeMessageFile(
  context: RealmExportContext,
  file: number,
  messages: readonly ExportableMessageWithSize[],
): Promise<Omit<ExportStepResult, 'cursor'>> {
  const written: number[] = [];
  const clientIds = new Set(context.clientIds);
  let recipientRows = context.counts['zerver_usermessage'] ?? 0;
  async function* content(): AsyncGenerator<string> {
    yield '{"zerver_message":[';
    for (const batch of divideItemsByWeight(messages, ({ bytes }) => bytes, textBytesPerRead)) {
      const rows = await readExportedMessageRows(context.database, context, listMessageIds(batch));
      if (rows.text === null) continue;
      yield prefixWithComma(rows.text, written.length === 0);
      written.push(...rows.ids);
      for (const id of rows.clientIds) clientIds.add(id);
    }
    yield '],"zerver_usermessage":[';
    let isFirst = true;
    const exported = new Set(written);
    for (const batch of await divideMessagesByRecipients(
      context,
      messages.filter(({ id }) => exported.has(id)),
    )) {
      const rows = await readExportedRecipientRows(context.database, context, {
        ids: listMessageIds(batch),
        offset: recipientRows,
      });
      if (rows.text === null) continue;
      yield prefixWithComma(rows.text, isFirst);
      isFirst = false;
      recipientRows += rows.count;
    }
    yield ']}';
  }
  const name = `messages-${String(file).padStart(6, '0')}.json`;
  const part = await context.parts.write(archiveEntryNumbers.messages + file, name, content());
  const counts = {
    zerver_message: (context.counts['zerver_message'] ?? 0) + written.length,
    zerver_usermessage: recipientRows,
  };
  return {
    parts: [{ ...part, messageIds: written }],
    counts,
    clientIds: [...clientIds].toSorted((a, b) => a - b),
  };
}

/** Divides messages into batches whose recipient rows one statement can read. */
async function divideMessagesByRecipients(
  context: RealmExportContext,
  messages: readonly ExportableMessageWithSize[],
): Promise<Iterable<readonly ExportableMessageWithSize[]>> {
  const counts = await countRecipientRows(context.database, listMessageIds(messages));
  const away = await countSoftDeactivatedUsers(context.database, context.realmId);
  const rowsOf = ({ id, isDirect }: ExportableMessageWithSize): number => (counts.get(id) ?? 0) + (isDirect ? 0 : away);
  return divideItemsByWeight(messages, rowsOf, recipientRowsPerRead);
}

const listMessageIds = (messages: readonly ExportableMessageWithSize[]): number[] => messages.map(({ id }) => id);

const prefixWithComma = (rows: string, isFirst: boolean): string => (isFirst ? rows : `,${rows}`);

/**
 * Yields groups of consecutive items. The total weight of a group is at most `limit`, except for groups of a single
 * heavier item.
 */
function* divideItemsByWeight<T>(items: readonly T[], weightOf: (item: T) => number, limit: number): Generator<T[]> {
  let batch: T[] = [];
  let weight = 0;
  for (const item of items) {
    const added = weightOf(item);
    if (batch.length > 0 && weight + added > limit) {
      yield batch;
      [batch, weight] = [[], 0];
    }
    batch.push(item);
    weight += added;
  }
  if (batch.length > 0) yield batch;
}
