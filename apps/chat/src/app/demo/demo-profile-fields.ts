import type { Tx } from '@switchboard/database';
import { addField, type NewField } from '../../features/profile-fields/index.js';

const field = (type: number, name: string, hint = '', data: object | null = null): NewField => ({
  type,
  name,
  hint,
  fieldData: data === null ? '' : JSON.stringify(data),
  inSummary: false,
  required: false,
  editableByUser: true,
  forMatching: false,
});

/** Custom profile fields of the demo realm, in the order of their ids (docs/contract/chat.md 7.1). */
const demoFields: readonly NewField[] = [
  field(1, 'Phone number'),
  field(2, 'Biography', 'What are you known for?'),
  field(1, 'Favorite food', "Or drink, if you'd prefer"),
  field(3, 'Favorite editor', '', { '0': { text: 'Vim', order: '1' }, '1': { text: 'Emacs', order: '2' } }),
  field(4, 'Birthday'),
  field(5, 'Favorite website', 'Or your personal blog'),
  field(6, 'Mentor'),
  field(7, 'GitHub', '', { subtype: 'github' }),
  field(8, 'Pronouns', 'What pronouns should people use to refer to you?'),
];

/** Inserts the custom profile fields of the demo realm. */
export async function addDemoFields(tx: Tx, realmId: number): Promise<void> {
  for (const each of demoFields) await addField(tx, realmId, each);
}
