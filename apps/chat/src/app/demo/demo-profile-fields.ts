import type { Tx } from '@switchboard/database';
import { addProfileField, type NewProfileField } from '../../features/profile-fields/index.js';

const createDemoProfileField = (
  type: number,
  name: string,
  hint = '',
  data: object | null = null,
): NewProfileField => ({
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
const demoProfileFields: readonly NewProfileField[] = [
  createDemoProfileField(1, 'Phone number'),
  createDemoProfileField(2, 'Biography', 'What are you known for?'),
  createDemoProfileField(1, 'Favorite food', "Or drink, if you'd prefer"),
  createDemoProfileField(3, 'Favorite editor', '', {
    '0': { text: 'Vim', order: '1' },
    '1': { text: 'Emacs', order: '2' },
  }),
  createDemoProfileField(4, 'Birthday'),
  createDemoProfileField(5, 'Favorite website', 'Or your personal blog'),
  createDemoProfileField(6, 'Mentor'),
  createDemoProfileField(7, 'GitHub', '', { subtype: 'github' }),
  createDemoProfileField(8, 'Pronouns', 'What pronouns should people use to refer to you?'),
];

/** Inserts the custom profile fields of the demo realm. */
export async function insertDemoProfileFields(tx: Tx, realmId: number): Promise<void> {
  for (const each of demoProfileFields) await addProfileField(tx, realmId, each);
}
