/** Maximum number of messages whose flags one request may change, including the anchor message. */
const maxMessagesPerFlagChange = 5000;

/**
 * Reduces the requested numbers of messages before and after the anchor to the maximum per request. The larger of the
 * two numbers is reduced first.
 */
export function limitMessageCounts(asked: { readonly num_before: number; readonly num_after: number }) {
  const room = maxMessagesPerFlagChange - 1;
  const before = Math.min(asked.num_before, Math.max(Math.floor(room / 2), room - asked.num_after));
  return { num_before: before, num_after: Math.min(asked.num_after, room - before) };
}
