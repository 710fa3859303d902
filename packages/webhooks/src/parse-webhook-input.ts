import type { z } from 'zod';
import { webhookErrors } from './webhook-errors.js';

/**
 * Parses an input by a schema and returns the parsed value.
 *
 * @throws ApplicationError `WEBHOOK_INPUT_INVALID` with the problems in the field `issues`
 */
export function parseWebhookInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({ path: path.map(String), message }));
  const [first] = issues;
  const detail = first === undefined ? '' : `: ${[...first.path, ''].join(': ')}${first.message}`;
  throw webhookErrors.create('WEBHOOK_INPUT_INVALID', { message: `The input is invalid${detail}`, fields: { issues } });
}
