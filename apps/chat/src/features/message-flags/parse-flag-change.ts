import { createBadRequestError } from '../../errors.js';
import { messageFlagBits } from '../../core/messages/index.js';

/** Names of the message flags that users can set (chat-2.3). */
export const editableMessageFlags = ['read', 'starred', 'collapsed'] as const;

type EditableMessageFlag = (typeof editableMessageFlags)[number];

/** Change of a message flag: the flag's name, and whether the flag is added or removed. */
export interface MessageFlagChange {
  readonly op: 'add' | 'remove';
  readonly flag: EditableMessageFlag;
}

const nonEditableFlags: ReadonlySet<string> = new Set([...Object.keys(messageFlagBits), 'wildcard_mentioned']);

/**
 * Parses a request to add or remove a message flag.
 *
 * @throws ApplicationError BAD_REQUEST for an unknown operation or flag, or a flag that only the server sets
 */
export function parseFlagChange(parameters: { readonly op: string; readonly flag: string }): MessageFlagChange {
  const { op } = parameters;
  const flag = editableMessageFlags.find((name) => name === parameters.flag);
  if (flag === undefined) {
    const problem = nonEditableFlags.has(parameters.flag) ? 'Flag not editable' : 'Invalid flag';
    throw createBadRequestError(`${problem}: '${parameters.flag}'`);
  }
  if (op !== 'add' && op !== 'remove') throw createBadRequestError(`Invalid message flag operation: '${op}'`);
  return { op, flag };
}
