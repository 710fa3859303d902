import { DailyRemoval, type DailyRemovalOptions } from '../daily-removal.js';

const removal = `DELETE FROM core_objectchange WHERE id IN (
  SELECT c.id FROM core_objectchange c
  WHERE c.time < $2::timestamptz AND NOT ($3::boolean
    AND (c.action = 'create' OR c.action = 'update' AND NOT EXISTS (
      SELECT FROM core_objectchange later WHERE later.changed_object_type = c.changed_object_type
        AND later.changed_object_id = c.changed_object_id AND later.action = 'update' AND later.id > c.id))
    AND NOT EXISTS (
      SELECT FROM core_objectchange gone WHERE gone.changed_object_type = c.changed_object_type
        AND gone.changed_object_id = c.changed_object_id AND gone.action = 'delete'))
  ORDER BY c.time LIMIT $1)`;

/**
 * Removes what the change log need not keep any more (contract 4).
 *
 * @param keepsEnds whether of objects that are still there the creation and the last change stay
 */
export function changeLogRetention({
  keepsEnds,
  ...options
}: Omit<DailyRemovalOptions, 'what' | 'batches'> & { readonly keepsEnds: boolean }): DailyRemoval {
  return new DailyRemoval({
    ...options,
    what: 'entries of the change log',
    batches: (limit, before) => [{ text: removal, values: [limit, before, keepsEnds] }],
  });
}
