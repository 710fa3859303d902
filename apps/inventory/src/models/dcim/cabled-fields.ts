import { boolean } from '../../engine/kinds/boolean.js';
import { choice } from '../../engine/kinds/choice.js';
import { computed } from '../../engine/kinds/computed.js';
import { ref } from '../../engine/kinds/relation.js';
import { sql } from '../../engine/sql/pieces.js';

/** Sides of a cable. */
export const cableEnds = { A: 'A', B: 'B' };

/** What is connected, and by which cable. */
export const cableFields = {
  mark_connected: boolean(),
  cable: ref('dcim.cable', { nullable: true, readOnly: true, onDelete: 'set_null', filterBy: null }),
  cable_end: choice(cableEnds, { nullable: true, readOnly: true, raw: true, filterSingle: true }),
};

/** Whether nothing more can be connected. */
export const occupied = computed({
  json: ({ alias }) => [sql(`(${alias}.mark_connected OR ${alias}.cable_id IS NOT NULL)::text`)],
  schema: { type: 'boolean' },
  metadataType: 'boolean',
});
