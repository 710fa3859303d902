import type { Outbox } from '@switchboard/queue';

/**
 * Maximum number of dead letters that the list contains per outbox message type. The printed count includes all dead
 * letters.
 */
const maxListedDeadLetters = 100;

/**
 * Returns a text that lists the dead letters of the outbox. The text contains the count per message type and the oldest
 * dead letters, without payloads.
 */
export async function describeDeadLetters(outbox: Outbox): Promise<string> {
  const lines: string[] = [];
  for (const { topic, deadLetters } of await outbox.depth()) {
    if (deadLetters === 0) continue;
    lines.push(`${topic}: ${deadLetters} dead letters`);
    for (const row of await outbox.listDeadLetters(topic, {}, maxListedDeadLetters, 0, 0)) {
      const error = (row.error ?? '').split('\n', 1)[0];
      lines.push(`  ${row.id}  since ${row.deadLetteredAt.toISOString()}  after ${row.attempts} attempts  ${error}`);
    }
  }
  return lines.length === 0 ? 'There are no dead letters.' : lines.join('\n');
}
