/**
 * Number of event ids that are reserved for each position in the event log. The first id is for the event at the
 * position; the other ids are for heartbeats sent after that event. Event ids are computed only from the log position
 * and the start of the queue (docs/contract/event-log.md 5). All processes therefore compute the same ids without
 * shared state.
 */
export const EVENT_IDS_PER_LOG_POSITION = 100;

/**
 * Position of a client in the event log. The client has received all events up to a log position (unit), and a number
 * of heartbeats there.
 */
export interface ClientPosition {
  unit: number;
  beats: number;
}

/**
 * Returns the event id of the log entry at position `unit` for clients of a queue that starts after position `start`.
 * If `beats` is not 0, returns the id of a heartbeat sent after that entry: 1 for the first heartbeat, and so on.
 */
export function toEventId(start: number, unit: number, beats = 0): number {
  return (unit - start) * EVENT_IDS_PER_LOG_POSITION + beats;
}

/**
 * Converts a client's `last_event_id` to a position in the event log. A negative id means the beginning of the queue.
 */
export function toClientPosition(start: number, lastEventId: number): ClientPosition {
  if (lastEventId < 0) return { unit: start, beats: 0 };
  return {
    unit: start + Math.floor(lastEventId / EVENT_IDS_PER_LOG_POSITION),
    beats: lastEventId % EVENT_IDS_PER_LOG_POSITION,
  };
}

/**
 * Returns the id of a heartbeat for a client whose last event id is `lastEventId`. No log entry up to the position
 * `examined` may be for the client. Returns `tick` if all ids of the position are used, so that a new log entry is
 * needed. Returns `hold` if this process has read less of the log than the client.
 */
export function toHeartbeatId(start: number, lastEventId: number, examined: number): number | 'tick' | 'hold' {
  const { unit, beats } = toClientPosition(start, lastEventId);
  if (examined > unit) return toEventId(start, examined, 1);
  if (examined < unit) return 'hold';
  if (beats + 1 >= EVENT_IDS_PER_LOG_POSITION) return 'tick';
  return lastEventId < 0 ? 1 : lastEventId + 1;
}
