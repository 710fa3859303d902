import { z } from 'zod';
import { createBadNarrowError } from '../../../../errors.js';

/** One term of a narrow (message filter), with the newest name of its operator, such as `channel`, `topic` or `dm`. */
export interface NarrowTerm {
  readonly operator: string;
  readonly operand: NarrowOperand;
  readonly negated: boolean;
}

type NarrowOperand = z.infer<typeof narrowOperandSchema>;

const narrowOperandSchema = z.union([z.string(), z.number(), z.array(z.union([z.string(), z.number()]))]);

/**
 * Maximum number of terms in a narrow (filter), because each term becomes a condition of the SQL statement. No known
 * client sends more terms.
 */
const maxNarrowTerms = 100;

/**
 * Schema of a narrow (filter) in the form that clients send (docs/contract/chat.md 5.4). A narrow is a list of objects,
 * or of pairs in the older form.
 */
export const narrowParameter = z
  .array(
    z.union([
      z.object({ operator: z.string(), operand: narrowOperandSchema, negated: z.boolean().optional() }),
      z.tuple([z.string(), z.string()]),
    ]),
  )
  .max(maxNarrowTerms);

/** Newest names of narrow operators, by the older and shorter names of the operators. */
const narrowOperatorAliases: ReadonlyMap<string, string> = new Map([
  ['stream', 'channel'],
  ['streams', 'channels'],
  ['subject', 'topic'],
  ['pm-with', 'dm'],
  ['dm-including', 'dm-with'],
  ['from', 'sender'],
]);

const narrowOperators: ReadonlySet<string> = new Set([
  'channel',
  'channels',
  'topic',
  'dm',
  'dm-with',
  'group-pm-with',
  'sender',
  'mentions',
  'is',
  'has',
  'id',
  'near',
  'with',
  'in',
  'search',
]);

/**
 * Parses the terms of a narrow (message filter). A minus before the operator of a term also negates the term.
 * @throws ApplicationError BAD_NARROW for an unknown operator
 */
export function narrowTermsSchema(narrow: z.infer<typeof narrowParameter>): NarrowTerm[] {
  return narrow.map((sent) => {
    const term = Array.isArray(sent) ? { operator: sent[0], operand: sent[1], negated: false } : sent;
    const minus = term.operator.startsWith('-');
    const name = (minus ? term.operator.slice(1) : term.operator).toLowerCase().replaceAll('_', '-');
    const operator = narrowOperatorAliases.get(name) ?? name;
    if (!narrowOperators.has(operator)) throw createBadNarrowError(`unknown operator ${term.operator}`);
    return { operator, operand: term.operand, negated: minus !== (term.negated ?? false) };
  });
}

/**
 * Returns the operand of a term as text.
 *
 * @throws ApplicationError BAD_NARROW for a list
 */
export function parseTextOperand(term: NarrowTerm): string {
  if (Array.isArray(term.operand)) throw createBadNarrowError(`invalid operand for ${term.operator}`);
  return String(term.operand);
}

/**
 * Returns the operand of a narrow term as an id if the operand is a whole number or consists of digits; otherwise
 * undefined.
 */
export function parseIdOperand(term: NarrowTerm): number | undefined {
  const text = Array.isArray(term.operand) ? '' : String(term.operand).trim();
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/**
 * Returns the operand of a narrow term as a message id.
 *
 * @throws ApplicationError BAD_NARROW
 */
export function parseMessageIdOperand(term: NarrowTerm): number {
  const id = parseIdOperand(term);
  if (id === undefined) throw createBadNarrowError('Invalid message ID');
  return id;
}

/**
 * Returns the user ids and email addresses in the operand of a narrow term. The operand is a list, or text separated by
 * commas.
 */
export function parseNarrowUserListOperand(term: NarrowTerm): (string | number)[] {
  const items = Array.isArray(term.operand) ? term.operand : String(term.operand).split(',');
  return items
    .map((item) => (typeof item === 'string' ? item.trim() : item))
    .filter((item) => item !== '')
    .map((item) => (typeof item === 'string' && /^\d{1,15}$/.test(item) ? Number(item) : item));
}
