import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../declaration/define-model.js';
import { addFieldErrorMessages, hasNoFieldErrors } from './parse-object-input.js';
import type { UnsavedObject } from './check-rules.js';

/**
 * Returns the objects of a write, completed with the values that the model's function `fill` computes. Objects with
 * errors remain unchanged.
 */
export async function fillUnsavedObjects<D extends UnsavedObject>(
  tx: Tx,
  { hooks }: ModelDefinition,
  drafts: readonly D[],
): Promise<readonly D[]> {
  const sound = drafts.filter(({ item }) => hasNoFieldErrors(item));
  if (hooks.fill === undefined || sound.length === 0) return drafts;
  const fillings = await hooks.fill(
    tx,
    sound.map(({ item, row, previous }) => ({ sent: item.values, row, previous })),
  );
  const filled = new Map(sound.map((draft, index) => [draft, fillings[index]]));
  return drafts.map((draft) => {
    const { values, problems } = filled.get(draft) ?? {};
    for (const [key, messages] of Object.entries(problems ?? {})) addFieldErrorMessages(draft.item, key, messages);
    return values === undefined ? draft : { ...draft, row: { ...draft.row, ...values } };
  });
}
