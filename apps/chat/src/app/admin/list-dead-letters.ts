import type { Outbox } from '@switchboard/queue';

/** Maximum number of rows listed per type; the counts include all. */
const listed = 100;

/** Lists dead letters of the outbox: their number per type, and the oldest rows without payloads. */
export async function describeDeadLetters(outbox: Outbox): Promise<string> {
  const lines: string[] = [];
  for (const { topic, deadLetters } of await outbox.depth()) {
    if (deadLetters === 0) continue;
    lines.push(`${topic}: ${deadLetters}`);
    for (const row of await outbox.listDeadLetters(topic, {}, listed)) {
      const error = (row.error ?? '').split('\n', 1)[0];
      lines.push(`  ${row.id}  since ${row.deadLetteredAt.toISOString()}  attempts ${row.attempts}  ${error}`);
    }
  }
  return lines.length === 0 ? 'No outbox rows are set aside.' : lines.join('\n');
}
