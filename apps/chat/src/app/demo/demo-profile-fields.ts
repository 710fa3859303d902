import type { Tx } from '@switchboard/database';
import { addProfileField, type NewProfileField } from '../../features/profile-fields/index.js';

const demoField = (type: number, name: string, hint = '', data: object | null = null): NewProfileField => ({
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
const demoFields: readonly NewProfileField[] = [
  demoField(1, 'Phone number'),
  demoField(2, 'Biography', 'What are you known for?'),
  demoField(1, 'Favorite food', "Or drink, if you'd prefer"),
  demoField(3, 'Favorite editor', '', { '0': { text: 'Vim', order: '1' }, '1': { text: 'Emacs', order: '2' } }),
  demoField(4, 'Birthday'),
  demoField(5, 'Favorite website', 'Or your personal blog'),
  demoField(6, 'Mentor'),
  demoField(7, 'GitHub', '', { subtype: 'github' }),
  demoField(8, 'Pronouns', 'What pronouns should people use to refer to you?'),
];

/** Inserts the custom profile fields of the demo realm. */
export async function addDemoFields(tx: Tx, realmId: number): Promise<void> {
  for (const each of demoFields) await addProfileField(tx, realmId, each);
}
